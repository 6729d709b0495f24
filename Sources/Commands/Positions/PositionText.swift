import CommandLineKit
import Location

/// Positions for a person: one on a line, or one in full.
struct PositionText {
    let terminal: Terminal
    /// The units of the figures.
    var units = Units.metric

    private enum Column: CaseIterable {
        case time, latitude, longitude, accuracy, altitude, speed, course

        var title: String { "\(self)".uppercased() }

        var width: Int {
            switch self {
            case .time, .accuracy, .altitude: 8
            case .latitude: 11
            case .longitude: 12
            case .speed: 10
            case .course: 7
            }
        }
    }

    /// The columns that fit, and `simulated` after them: a terminal of 80 columns has room for all, set closely.
    private var columns: [Column] {
        guard terminal.isTerminal, terminal.width < 80 else { return Column.allCases }
        return Column.allCases.filter {
            switch $0 {
            case .latitude, .longitude: true
            case .accuracy: terminal.width >= 33
            case .time: terminal.width >= 42
            case .speed: terminal.width >= 53
            case .course: terminal.width >= 71
            case .altitude: false
            }
        }
    }

    private var gap: String { terminal.isTerminal && terminal.width < 87 ? " " : "  " }

    /// The header above the lines of positions.
    var header: String {
        terminal.styled(columns.map { Self.right($0.title, $0.width) }.joined(separator: gap), .bold)
    }

    /// One position on a line; on a narrow terminal its remarks are on a second line.
    func line(_ position: Position) -> String {
        let cells = columns.map { column in
            terminal.styled(Self.right(cell(position, column), column.width), style(position, column))
        }
        let line = cells.joined(separator: gap)
        let remarks = remarks(position)
        if remarks.isEmpty { return line }
        let between = terminal.isTerminal && terminal.width < 66 ? "\n  " : gap
        return line + between + terminal.styled(remarks.joined(separator: ", "), .cyan)
    }

    private func cell(_ position: Position, _ column: Column) -> String {
        switch column {
        case .time: ZonedTime(position.timestamp, in: .local)?.timeOfDay ?? "?"
        case .latitude: Measure.degrees(position.coordinate.latitude, within: position.horizontalAccuracy)
        case .longitude: Measure.degrees(position.coordinate.longitude, within: position.horizontalAccuracy)
        case .accuracy: units.distance(position.horizontalAccuracy)
        case .altitude: position.altitude.map { units.altitude($0, within: position.verticalAccuracy) } ?? "–"
        case .speed:
            position.speed.map { units.speed($0, within: position.speedAccuracy) } ?? "–"
        case .course: position.course.map { "\($0.fixed(0))\(degreeSign) \(Self.compass($0))" } ?? "–"
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
        add("Latitude", "\(Measure.degrees(position.coordinate.latitude, within: accuracy))°")
        add("Longitude", "\(Measure.degrees(position.coordinate.longitude, within: accuracy))°")
        add("Accuracy", units.distance(accuracy))
        add(
            "Altitude",
            position.altitude.map { units.altitude($0, within: position.verticalAccuracy, showsAccuracy: true) })
        add(
            "Ellipsoidal",
            position.ellipsoidalAltitude.map { units.altitude($0, within: position.verticalAccuracy) })
        add("Speed", position.speed.map { units.fullSpeed($0, within: position.speedAccuracy) })
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
