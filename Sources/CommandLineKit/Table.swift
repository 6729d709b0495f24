/// Rows of text in aligned columns.
public struct Table: Sendable {
    /// A column's title and alignment.
    public struct Column: Sendable {
        /// The title; the line of titles is omitted where all are empty.
        public var title: String
        /// Whether the cells are aligned to the right, as numbers are.
        public var isNumeric: Bool

        /// A column of text, or of numbers.
        public init(_ title: String, isNumeric: Bool = false) {
            self.title = title
            self.isNumeric = isNumeric
        }
    }

    /// A cell and its colour.
    public struct Cell: Sendable, ExpressibleByStringInterpolation {
        /// The text; control characters are made visible when it is printed.
        public var text: String
        /// The style on a terminal.
        public var style: Terminal.Style?

        /// A cell with this text and style.
        public init(_ text: String, _ style: Terminal.Style? = nil) {
            self.text = text
            self.style = style
        }

        /// A cell without a style.
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

    /// Adds a row; missing cells are empty.
    public mutating func add(_ row: [Cell]) {
        rows.append(row)
    }

    /// The lines, without their ends. On a terminal no line is wider than the terminal: the last column is wrapped at
    /// words, and where that is not enough each row becomes a block with a line for each column.
    public func lines(for terminal: Terminal) -> [String] {
        var all = rows.map { row in
            row.map { Cell(terminal.encoding.shown($0.text.escapingControls), $0.style) }
        }
        let hasTitles = columns.contains { !$0.title.isEmpty }
        if hasTitles { all.insert(columns.map { Cell($0.title, .bold) }, at: 0) }
        let widths = columns.indices.map { column in
            all.map { $0.indices.contains(column) ? $0[column].text.displayWidth : 0 }.max() ?? 0
        }
        let room = terminal.width - widths.dropLast().reduce(0) { $0 + $1 + gap.count }
        if terminal.isTerminal, hasTitles, columns.count > 1, room < min(widths.last ?? 0, Self.leastRoom) {
            return headed(all.dropFirst()).flatMap { block($0, terminal) }
        }
        return all.flatMap { lines($0, widths, room, terminal) }
    }

    /// The smallest width that wrapping leaves to the last column.
    private static let leastRoom = 12

    /// A row's lines: one, and more where its last cell is wrapped.
    private func lines(_ row: [Cell], _ widths: [Int], _ room: Int, _ terminal: Terminal) -> [String] {
        guard terminal.isTerminal, let last = row.last, row.count == columns.count, last.text.displayWidth > room else {
            return [line(row, widths, terminal)]
        }
        let indent = String(repeating: " ", count: terminal.width - room)
        let parts = last.text.wrapped(to: max(8, room), breaksWords: true)
        return [line(row.dropLast() + [Cell(parts[0], last.style)], widths, terminal)]
            + parts.dropFirst().map { indent + terminal.styled($0, last.style) }
    }

    /// The rows with the first cell of the row above where theirs is empty: a table shows a repeated value once, but
    /// every block needs its heading.
    private func headed(_ rows: ArraySlice<[Cell]>) -> [[Cell]] {
        var heading: Cell?
        return rows.map { row in
            guard let first = row.first else { return row }
            if !first.text.isEmpty { heading = first }
            return [heading ?? first] + row.dropFirst()
        }
    }

    /// A row as a block: the first cell, and below it each other one with its column's title.
    private func block(_ row: [Cell], _ terminal: Terminal) -> [String] {
        zip(columns, row).enumerated().flatMap { index, pair -> [String] in
            let (column, cell) = pair
            guard !cell.text.isEmpty else { return [] }
            let indent = index == 0 ? "" : "  "
            let text = index == 0 ? cell.text : "\(column.title.lowercased()): \(cell.text)"
            let parts = text.wrapped(to: max(8, terminal.width - indent.count), breaksWords: true)
            return parts.map { indent + terminal.styled($0, cell.style) }
        }
    }

    private func line(_ row: [Cell], _ widths: [Int], _ terminal: Terminal) -> String {
        var line = ""
        let last = row.lastIndex { !$0.text.isEmpty }
        for (index, cell) in row.enumerated() {
            guard let last, index <= last, columns.indices.contains(index) else { break }
            if index > 0 { line += gap }
            let padding = String(repeating: " ", count: max(0, widths[index] - cell.text.displayWidth))
            if columns[index].isNumeric { line += padding }
            line += terminal.styled(cell.text, cell.style)
            if !columns[index].isNumeric, index < last { line += padding }
        }
        return line
    }
}
