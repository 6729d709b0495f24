import CommandLineKit

/// Lines on a terminal that are replaced by the next ones in place.
struct Redrawing {
    private var shown = 0

    /// What to write so that these lines stand where the last ones stood. As much is shown as fits: a line that the
    /// terminal breaks would count as two.
    mutating func frame(_ lines: [String], for terminal: Terminal) -> String {
        let lines = lines.prefix(max(1, terminal.height - 1)).map {
            terminal.encoding.shown($0).truncatedWithStyles(to: terminal.width)
        }
        // Up to the first line of the last frame; then every line is written over, and what was longer erased.
        var text = shown > 0 ? "\u{1B}[\(shown)A\r" : ""
        for line in lines { text += line + "\u{1B}[K\n" }
        text += "\u{1B}[J"
        shown = lines.count
        return text
    }
}
