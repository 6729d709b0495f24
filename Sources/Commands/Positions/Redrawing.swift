import CommandLineKit

/// Lines on a terminal that are replaced by the next ones in place.
struct Redrawing {
    private var shown = 0

    /// The text that replaces the last lines by these in place. Only as many lines are shown as fit, cut to the width,
    /// because a line that the terminal wraps would count as two.
    mutating func frame(_ lines: [String], for terminal: Terminal) -> String {
        let lines = lines.prefix(max(1, terminal.height - 1)).map {
            terminal.encoding.shown($0).truncatedWithStyles(to: terminal.width)
        }
        // Moves up to the first line of the last frame; then every line is overwritten, and its rest erased.
        var text = shown > 0 ? "\u{1B}[\(shown)A\r" : ""
        for line in lines { text += line + "\u{1B}[K\n" }
        text += "\u{1B}[J"
        shown = lines.count
        return text
    }
}
