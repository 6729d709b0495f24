/// Rows of text in aligned columns.
public struct Table: Sendable {
    /// A column's head and how its cells are set.
    public struct Column: Sendable {
        /// What stands above; nothing stands above any where all are empty.
        public var title: String
        /// Whether the cells are set flush right, as numbers are.
        public var isNumeric: Bool

        /// A column of text, or of numbers.
        public init(_ title: String, isNumeric: Bool = false) {
            self.title = title
            self.isNumeric = isNumeric
        }
    }

    /// A cell and its colour.
    public struct Cell: Sendable, ExpressibleByStringInterpolation {
        /// What it says; control characters are made visible when it is printed.
        public var text: String
        /// How it looks on a terminal.
        public var style: Terminal.Style?

        /// A cell of these two.
        public init(_ text: String, _ style: Terminal.Style? = nil) {
            self.text = text
            self.style = style
        }

        /// A cell without a colour.
        public init(stringLiteral text: String) { self.init(text) }
    }

    private let columns: [Column]
    private var rows: [[Cell]] = []
    private let gap: String

    /// A table without rows, with so many spaces between its columns.
    public init(_ columns: [Column], gap: Int = 2) {
        self.columns = columns
        self.gap = String(repeating: " ", count: gap)
    }

    /// Whether it has no rows.
    public var isEmpty: Bool { rows.isEmpty }

    /// Adds a row; what it lacks is empty.
    public mutating func add(_ row: [Cell]) {
        rows.append(row)
    }

    /// The lines, without their ends. On a terminal no line is wider than that: the last column gives way.
    public func lines(for terminal: Terminal) -> [String] {
        var all = rows.map { row in row.map { Cell($0.text.escapingControls, $0.style) } }
        if columns.contains(where: { !$0.title.isEmpty }) { all.insert(columns.map { Cell($0.title, .bold) }, at: 0) }
        let widths = columns.indices.map { column in
            all.map { $0.indices.contains(column) ? $0[column].text.displayWidth : 0 }.max() ?? 0
        }
        return all.map { line($0, widths, terminal) }
    }

    private func line(_ row: [Cell], _ widths: [Int], _ terminal: Terminal) -> String {
        var line = ""
        var used = 0
        let last = row.lastIndex { !$0.text.isEmpty }
        for (index, cell) in row.enumerated() {
            guard let last, index <= last, columns.indices.contains(index) else { break }
            if index > 0 { line += gap }
            var text = cell.text
            if terminal.isTerminal, index == columns.count - 1 {
                text = text.truncated(to: max(8, terminal.width - used))
            }
            let padding = String(repeating: " ", count: max(0, widths[index] - text.displayWidth))
            if columns[index].isNumeric { line += padding }
            line += terminal.styled(text, cell.style)
            if !columns[index].isNumeric, index < last { line += padding }
            used += widths[index] + gap.count
        }
        return line
    }
}
