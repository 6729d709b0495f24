import CommandLineKit
import Interfaces
import Location

/// Visits for a person, a line for each, with the columns that fit on the terminal.
struct VisitText {
    private let terminal: Terminal
    private let preferences: Preferences
    private var hasHeader = false

    /// The text for a terminal, in the user's units and notation.
    init(_ terminal: Terminal, _ preferences: Preferences = Preferences()) {
        self.terminal = terminal
        self.preferences = preferences
    }

    private enum Column {
        case arrival, departure, duration, place, accuracy
    }

    private static let all = [Column.arrival, .departure, .duration, .place, .accuracy]

    /// The columns with all their parts: titles and widths.
    private func parts(_ column: Column) -> [CoordinateNotation.Column] {
        switch column {
        case .arrival, .departure: [.init(title: "\(column)".uppercased(), width: 19)]
        case .duration, .accuracy: [.init(title: "\(column)".uppercased(), width: 9)]
        case .place: preferences.coordinates.columns
        }
    }

    /// All columns; on a narrow terminal those that fit, the most important ones first.
    private var columns: [Column] {
        guard terminal.isTerminal else { return Self.all }
        var chosen = [Column.place]
        for column in [Column.arrival, .departure, .duration, .accuracy]
        where width(chosen + [column]) <= terminal.width {
            chosen.append(column)
        }
        return Self.all.filter(chosen.contains)
    }

    private func width(_ columns: [Column]) -> Int {
        let parts = columns.flatMap(parts)
        return parts.reduce(0) { $0 + $1.width } + 2 * (parts.count - 1)
    }

    /// The line of a visit, after the header at first. Its remark is on a line of its own where it does not fit.
    mutating func lines(_ visit: Visit) -> [String] {
        defer { hasHeader = true }
        let columns = columns
        var lines: [String] = []
        if !hasHeader {
            let titles = columns.flatMap { column in parts(column).map { padded($0.title, to: $0.width, column) } }
            lines.append(terminal.styled(trimmed(titles), .bold))
        }
        let line = trimmed(
            columns.flatMap { column in
                zip(cells(visit, column), parts(column)).map { padded($0, to: $1.width, column) }
            })
        guard visit.isSimulated else { return lines + [line] }
        let remark = terminal.styled("simulated", .cyan)
        let fits = !terminal.isTerminal || line.displayWidth + 2 + "simulated".count <= terminal.width
        return lines + (fits ? ["\(line)  \(remark)"] : [line, "  \(remark)"])
    }

    private func cells(_ visit: Visit, _ column: Column) -> [String] {
        switch column {
        case .arrival: [Self.time(visit.arrival) ?? "before"]
        case .departure: [Self.time(visit.departure) ?? "still there"]
        case .duration:
            [
                visit.departure.flatMap { departure in
                    visit.arrival.map { Measure.age(departure.seconds(since: $0)) }
                } ?? terminal.encoding.shown("–")
            ]
        case .place:
            preferences.coordinates.cells(visit.coordinate, within: visit.horizontalAccuracy, in: terminal.encoding)
        case .accuracy: [preferences.units.distance(visit.horizontalAccuracy)]
        }
    }

    /// Times are aligned to the left, numbers to the right.
    private func padded(_ text: String, to width: Int, _ column: Column) -> String {
        let space = String(repeating: " ", count: max(0, width - text.displayWidth))
        return column == .arrival || column == .departure ? text + space : space + text
    }

    private func trimmed(_ cells: [String]) -> String {
        var line = cells.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }

    private static func time(_ time: UTCTime?) -> String? {
        time.flatMap { ZonedTime($0.secondsSinceEpoch.rounded(), in: .local) }.map { "\($0.date) \($0.timeOfDay)" }
    }
}
