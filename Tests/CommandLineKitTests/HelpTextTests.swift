import CommandLineKit
import Testing

@Suite struct HelpTextTests {
    @Test func `help shows usage, options with their values and defaults, and examples`() {
        #expect(
            example.help(for: ["compass", "find"], width: 72) == """
                compass find: find things

                Usage: compass find [--accuracy M] [--since TIME] [-n N] [--kind K]…
                                    [-f] [--json] PLACE

                Things are found by looking where they were lost.

                Arguments:
                  PLACE  where to look

                Options:
                      --accuracy M   how near is near enough
                      --since TIME   from then on
                  -n, --count N      how many (default 10)
                      --kind K       only these: round or square (may be repeated)
                  -f, --follow       go on
                      --json         for programs
                      --socket PATH  where the daemon listens
                  -v, --verbose      say more
                  -h, --help         show this help

                Examples:
                  compass find home
                      Looks at home.

                """)
    }

    @Test(arguments: [40, 50, 60, 80, 200]) func `no line of help is wider than the terminal`(_ width: Int) {
        for path in [["compass"], ["compass", "find"], ["compass", "settings"], ["compass", "play"]] {
            let text = example.help(for: path, width: width)
            #expect(!text.isEmpty)
            for line in text.split(separator: "\n") { #expect(String(line).displayWidth <= width, "\(line)") }
        }
    }

    @Test func `the program's help lists its commands`() {
        let text = example.help(for: ["compass"])
        #expect(text.contains("\n  find      find things\n"))
        #expect(text.contains("[--socket PATH] [-v] COMMAND …"))
        #expect(text.contains("--version"))
    }
}
