import CommandLineKit
import Location

/// Positions for a person: one on a line, or one in full.
struct PositionText {
    let terminal: Terminal
    /// The units of the figures.
    var units = Units.metric
    /// The notation of the coordinates.
    var coordinates = CoordinateNotation.degrees

    /// The text for a terminal, in the user's units and notation.
    init(_ terminal: Terminal, _ preferences: Preferences = Preferences()) {
        self.terminal = terminal
        units = preferences.units
        coordinates = preferences.coordinates
    }

    private enum Column: Equatable {
        case time, place, accuracy, altitude, speed, course
    }

    /// The columns with all their parts: titles and widths.
    private func parts(_ column: Column) -> [CoordinateNotation.Column] {
        switch column {
        case .place: coordinates.columns
        case .time, .accuracy, .altitude: [.init(title: "\(column)".uppercased(), width: 8)]
        case .speed: [.init(title: "SPEED", width: 10)]
        case .course: [.init(title: "COURSE", width: 7)]
        }
    }

    private static let all = [Column.time, .place, .accuracy, .altitude, .speed, .course]

    /// The width of ` simulated`, for which the less important columns leave room.
    private static let remarkWidth = 10

    /// The columns that fit, the most important ones first, and `simulated` after them.
    private var columns: [Column] {
        guard terminal.isTerminal else { return Self.all }
        var chosen = [Column.place]
        for (column, remark) in [
            (Column.accuracy, 0), (.time, 0), (.speed, 0), (.course, Self.remarkWidth), (.altitude, Self.remarkWidth),
        ] where width(chosen + [column], gap: 1) + remark <= terminal.width {
            chosen.append(column)
        }
        return Self.all.filter(chosen.contains)
    }

    /// The width of a line with these columns.
    private func width(_ columns: [Column], gap: Int) -> Int {
        let parts = columns.flatMap(parts)
        return parts.reduce(0) { $0 + $1.width } + gap * (parts.count - 1)
    }

    private var gap: String {
        let isWide = width(Self.all, gap: 2) + Self.remarkWidth + 1 <= terminal.width
        return terminal.isTerminal && !isWide ? " " : "  "
    }

    /// The header above the lines of positions.
    var header: String {
        let titles = columns.flatMap(parts).map { Self.right($0.title, $0.width) }
        return terminal.styled(titles.joined(separator: gap), .bold)
    }

    /// One position on a line; where they do not fit, its remarks are on a second line.
    func line(_ position: Position) -> String {
        let cells = columns.flatMap { column in
            zip(self.cells(position, column), parts(column)).map { text, part in
                (Self.right(text, part.width), style(position, column))
            }
        }
        let width = cells.reduce(0) { $0 + $1.0.displayWidth } + gap.count * (cells.count - 1)
        let line = cells.map { terminal.styled($0, $1) }.joined(separator: gap)
        let remarks = remarks(position).joined(separator: ", ")
        if remarks.isEmpty { return line }
        let fits = !terminal.isTerminal || width + gap.count + remarks.displayWidth <= terminal.width
        guard fits else {
            let lines = remarks.wrapped(to: max(8, terminal.width - 2))
            return ([line] + lines.map { "  " + terminal.styled($0, .cyan) }).joined(separator: "\n")
        }
        return line + gap + terminal.styled(remarks, .cyan)
    }

    private func cells(_ position: Position, _ column: Column) -> [String] {
        switch column {
        case .time: [ZonedTime(position.timestamp, in: .local)?.timeOfDay ?? "?"]
        case .place:
            coordinates.cells(position.coordinate, within: position.horizontalAccuracy, in: terminal.encoding)
        case .accuracy: [units.distance(position.horizontalAccuracy)]
        case .altitude: [position.altitude.map { units.altitude($0, within: position.verticalAccuracy) } ?? "–"]
        case .speed: [position.speed.map { units.speed($0, within: position.speedAccuracy) } ?? "–"]
        case .course: [position.course.map { "\($0.fixed(0))\(degreeSign) \(Self.compass($0))" } ?? "–"]
        }
    }

    /// Empty in ASCII: the word would not fit, and the header names the column.
    private var degreeSign: String { terminal.encoding == .utf8 ? "°" : "" }

    private func style(_ position: Position, _ column: Column) -> Terminal.Style? {
        switch column {
        case .time: .dim
        case .accuracy: Self.style(accuracy: position.horizontalAccuracy)
        default: nil
        }
    }

    /// One position in full, a line for each known value.
    func details(_ position: Position) -> [String] {
        var table = Table([.init(""), .init("")])
        func add(_ title: String, _ text: String?) {
            if let text { table.add([Table.Cell(title, .bold), Table.Cell(text)]) }
        }
        func within(_ value: Double, _ accuracy: Double?, _ unit: String) -> String {
            let text = "\(Measure.rounded(value, within: accuracy))\(unit)"
            return text + (accuracy.map { " ± \(Measure.rounded($0, within: $0))\(unit)" } ?? "")
        }
        let accuracy = position.horizontalAccuracy
        add("Time", ZonedTime(position.timestamp, in: .local)?.iso8601)
        for (title, text) in coordinates.details(position.coordinate, within: accuracy, in: terminal.encoding) {
            add(title, text)
        }
        add("Accuracy", units.distance(accuracy))
        add(
            "Altitude",
            position.altitude.map { units.altitude($0, within: position.verticalAccuracy, showsAccuracy: true) })
        add(
            "Ellipsoidal",
            position.ellipsoidalAltitude.map { units.altitude($0, within: position.verticalAccuracy) })
        add("Speed", position.speed.map { units.speed($0, within: position.speedAccuracy, showsAccuracy: true) })
        add(
            "Course",
            position.course.map { "\(within($0, position.courseAccuracy, "°")), \(Self.compass($0))" })
        add("Climb", position.climb.map(units.climb))
        add("Remarks", remarks(position).isEmpty ? nil : remarks(position).joined(separator: ", "))
        return table.lines(for: terminal)
    }

    private func remarks(_ position: Position) -> [String] {
        var remarks: [String] = []
        if position.isSimulated { remarks.append("simulated") }
        if position.accuracy == .reduced { remarks.append("reduced accuracy") }
        if let quality = position.quality.flatMap({ QualityText.words($0.rawValue) }) { remarks.append(quality) }
        if position.timestampSource == .systemClock { remarks.append("time from this machine's clock") }
        return remarks
    }

    /// The nearest of the eight points of the compass.
    static func compass(_ degrees: Double) -> String {
        let points = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
        guard degrees.isFinite, degrees >= 0, degrees <= 360 else { return "" }
        return points[Int((degrees / 45).rounded()) % points.count]
    }

    private static func style(accuracy: Double) -> Terminal.Style {
        accuracy <= 10 ? .green : accuracy <= 50 ? .yellow : .red
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.displayWidth)) + text
    }
}
