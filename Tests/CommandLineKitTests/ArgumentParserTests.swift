import CommandLineKit
import Testing

@Suite struct ArgumentParserTests {
    @Test func `a value follows its option as a separate word or after an equals sign`() {
        #expect(parsed("find", "home", "--accuracy", "5").invocation?.number("accuracy") == 5)
        #expect(parsed("find", "home", "--accuracy=5").invocation?.number("accuracy") == 5)
        #expect(parsed("find", "home", "-n", "3").invocation?.integer("count") == 3)
        #expect(parsed("find", "home", "-n3").invocation?.integer("count") == 3)
        #expect(parsed("find", "home", "-fn3").invocation?.has("follow") == true)
    }

    @Test func `options may stand before and after the arguments`() {
        let invocation = parsed("find", "--json", "home", "-f").invocation
        #expect(invocation?.argument("PLACE") == "home")
        #expect(invocation?.has("json") == true)
        #expect(invocation?.has("follow") == true)
        #expect(invocation?.path == ["compass", "find"])
    }

    @Test func `a global option may stand before and after the command`() {
        #expect(parsed("--socket", "/s", "find", "home").invocation?.text("socket") == "/s")
        #expect(parsed("find", "home", "--socket=/s").invocation?.text("socket") == "/s")
        #expect(parsed("settings", "-v", "check").invocation?.has("verbose") == true)
        #expect(parsed("settings", "check", "-v").invocation?.has("verbose") == true)
    }

    @Test func `the default command has its options even when it is not typed`() {
        for arguments in [["tracks"], ["tracks", "list"], ["-v", "tracks"], ["tracks", "-v"]] {
            #expect(parse(arguments).invocation?.path == ["compass", "tracks", "list"], "\(arguments)")
        }
        for arguments in [["tracks", "-w"], ["tracks", "--watch"], ["tracks", "list", "-w"]] {
            #expect(parse(arguments).invocation?.has("watch") == true, "\(arguments)")
        }
        #expect(parsed("tracks", "drop", "a").invocation?.argument("NAME") == "a")
        #expect(parsed("tracks", "drop").complaint?.contains("NAME is missing") == true)
        #expect(parsed("tracks", "--wacth").complaint?.contains("There is no option '--wacth'.") == true)
        #expect(parsed("tracks", "a").complaint?.contains("There is no command 'a'.") == true)
    }

    @Test func `an omitted option has its default`() {
        let invocation = parsed("find", "home").invocation
        #expect(invocation?.integer("count") == 10)
        #expect(invocation?.isGiven("count") == false)
        #expect(invocation?.text("since") == nil)
        #expect(invocation?.texts("kind") == [])
    }

    @Test func `an option that may be repeated has all of its values`() {
        let invocation = parsed("find", "home", "--kind", "round", "--kind=square").invocation
        #expect(invocation?.texts("kind") == ["round", "square"])
    }

    @Test func `a value may begin with a hyphen if it is no option`() {
        #expect(parsed("find", "home", "--since", "-2h").invocation?.text("since") == "-2h")
        #expect(parsed("find", "home", "--since=--odd").invocation?.text("since") == "--odd")
    }

    @Test func `after two hyphens nothing is an option`() {
        #expect(parsed("find", "--", "--json").invocation?.argument("PLACE") == "--json")
        #expect(parsed("play", "tune", "--", "cat", "-n", "--").invocation?.trailing == ["cat", "-n", "--"])
        #expect(parsed("play", "-").invocation?.argument("FILE") == "-")
    }

    @Test(arguments: [
        (["find", "home", "--acuracy", "5"], "There is no option '--acuracy'. Did you mean '--accuracy'?"),
        (["find", "home", "--accuracy"], "--accuracy needs a value: --accuracy M."),
        (["find", "home", "--accuracy", "far"], "--accuracy takes a number from 0 to 1000, not 'far'."),
        (["find", "home", "--accuracy", "nan"], "--accuracy takes a number from 0 to 1000, not 'nan'."),
        (["find", "home", "-n0"], "-n takes a whole number of at least 1, not '0'."),
        (["find", "home", "--json=yes"], "--json takes no value."),
        (["find", "home", "--kind", "squre"], "--kind takes round or square, not 'squre'. Did you mean 'square'?"),
        (["find", "home", "--since", "--json"], "--since needs a value: --since TIME."),
        (["find", "home", "--since", "a", "--since", "b"], "--since is given twice."),
        (["find"], "PLACE is missing: where to look."),
        (["find", "home", "away"], "There is 'away' too many: find takes no more arguments."),
        (["settings", "show", "x"], "There is 'x' too many: show takes no arguments."),
        (["fnid"], "There is no command 'fnid'. Did you mean 'find'?"),
        (["zzz"], "There is no command 'zzz'. There are find, play, settings and tracks."),
        (["--json", "find"], "--json goes after the command, as in 'compass find --json'."),
        (["find", "home", "-x"], "There is no option '-x'."),
        (["find", "home", "--"], ""),
        (["find", "a\u{1B}[2J", "b\u{1B}"], "There is 'b\\u{1b}' too many: find takes no more arguments."),
    ]) func `an error is named, with the correction and the command for more help`(_ arguments: [String], says: String)
    {
        do throws(UsageError) {
            let request = try example.parse(arguments)
            #expect(says.isEmpty, "understood as \(request)")
        } catch {
            #expect(error.message.hasPrefix(says) && !says.isEmpty, "\(error)")
            #expect(error.description.hasSuffix(" --help`."))
        }
    }

    @Test(arguments: [([], ["compass"]), (["settings"], ["compass", "settings"]), (["-v"], ["compass"])])
    func `a group's name alone requests its help`(arguments: [String], path: [String]) throws {
        #expect(try example.parse(arguments) == .help(path))
    }

    @Test func `help is given for the command before it, whatever else is missing`() throws {
        #expect(try example.parse(["--help"]) == .help(["compass"]))
        #expect(try example.parse(["find", "-h"]) == .help(["compass", "find"]))
        #expect(try example.parse(["help", "settings", "check"]) == .help(["compass", "settings", "check"]))
        #expect(try example.parse(["settings", "--help"]) == .help(["compass", "settings"]))
    }

    @Test func `the version is requested whatever else the line contains`() throws {
        for line in [["--version", "--socket", "here"], ["--socket", "here", "--version"]] {
            guard case .version(let invocation) = try example.parse(line) else {
                Issue.record("\(line)")
                continue
            }
            #expect(invocation.text("socket") == "here")
        }
    }

    @Test func `arguments after another program's name are passed on unchanged, even a request for help`() throws {
        var program = example
        program.subcommands.append(Command("listen", "what another program does", isOtherProgram: true))
        let typed = ["--unheard-of", "-x", "--", "help", "--help"]
        guard case .run(let invocation) = try program.parse(["--verbose", "listen"] + typed) else {
            Issue.record("not run")
            return
        }
        #expect(invocation.path == ["compass", "listen"] && invocation.has("verbose"))
        #expect(invocation.trailing == typed)
        #expect(try program.parse(["help", "listen"]) == .help(["compass", "listen"]))
        #expect(program.help(for: ["compass", "listen"]).contains("Usage: compass listen …\n"))
    }
}
