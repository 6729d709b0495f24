import CommandLineKit
import Location

/// Positions for a person: one on a line, or one in full.
struct PositionText {
    let terminal: Terminal

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

    /// What fits, with `simulated` behind it: a terminal of 80 columns has room for all of it, closely set.
    private var columns: [Column] {
        guard terminal.isTerminal, terminal.width < 80 else { return Column.allCases }
        return Column.allCases.filter { $0 != .altitude && ($0 != .course || terminal.width >= 71) }
    }

    private var gap: String { terminal.isTerminal && terminal.width < 87 ? " " : "  " }

    /// The head above the lines of positions.
    var header: String {
        terminal.styled(columns.map { Self.right($0.title, $0.width) }.joined(separator: gap), .bold)
    }

    /// One position on a line.
    func line(_ position: Position) -> String {
        let cells = columns.map { column in
            terminal.styled(Self.right(cell(position, column), column.width), style(position, column))
        }
        let line = cells.joined(separator: gap)
        let remarks = remarks(position)
        return remarks.isEmpty ? line : line + gap + terminal.styled(remarks.joined(separator: ", "), .cyan)
    }

    private func cell(_ position: Position, _ column: Column) -> String {
        switch column {
        case .time: ZonedTime(position.timestamp, in: .local)?.timeOfDay ?? "?"
        case .latitude: position.coordinate.latitude.fixed(7)
        case .longitude: position.coordinate.longitude.fixed(7)
        case .accuracy: Measure.distance(position.horizontalAccuracy)
        case .altitude: position.altitude.map { "\($0.fixed(1)) m" } ?? "–"
        case .speed: position.speed.map { "\(($0 * 3.6).fixed(1)) km/h" } ?? "–"
        case .course: position.course.map { "\($0.fixed(0))° \(Self.compass($0))" } ?? "–"
        }
    }

    private func style(_ position: Position, _ column: Column) -> Terminal.Style? {
        switch column {
        case .time: .dim
        case .accuracy: Self.style(accuracy: position.horizontalAccuracy)
        default: nil
        }
    }

    /// One position in full, a line for each thing known.
    func details(_ position: Position) -> [String] {
        var table = Table([.init(""), .init("")])
        func add(_ title: String, _ text: String?) {
            if let text { table.add([Table.Cell(title, .bold), Table.Cell(text)]) }
        }
        func within(_ text: String, _ accuracy: Double?, _ unit: String) -> String {
            text + (accuracy.map { " ± \($0.fixed(1)) \(unit)" } ?? "")
        }
        add("Time", ZonedTime(position.timestamp, in: .local)?.iso8601)
        add("Latitude", "\(position.coordinate.latitude.fixed(7))°")
        add("Longitude", "\(position.coordinate.longitude.fixed(7))°")
        add("Accuracy", Measure.distance(position.horizontalAccuracy))
        add("Altitude", position.altitude.map { within("\($0.fixed(1)) m", position.verticalAccuracy, "m") })
        add("Ellipsoidal", position.ellipsoidalAltitude.map { "\($0.fixed(1)) m" })
        add("Speed", position.speed.map { within("\($0.fixed(1)) m/s", position.speedAccuracy, "m/s") })
        add(
            "Course",
            position.course.map { within("\($0.fixed(1))° \(Self.compass($0))", position.courseAccuracy, "°") })
        add("Climb", position.climb.map { "\($0.fixed(1)) m/s" })
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
