import CommandLineKit
import Location

/// Positions for a person: one on a line, or one in full.
struct PositionText {
    let terminal: Terminal

    private static let columns: [(title: String, width: Int)] = [
        ("TIME", 8), ("LATITUDE", 11), ("LONGITUDE", 12), ("ACCURACY", 8), ("ALTITUDE", 9), ("SPEED", 11),
        ("COURSE", 7),
    ]

    /// The head above the lines of positions.
    var header: String {
        let titles = Self.columns.map { Self.right($0.title, $0.width) }
        return terminal.styled(titles.joined(separator: "  "), .bold)
    }

    /// One position on a line.
    func line(_ position: Position) -> String {
        let cells = [
            CivilTime(position.timestamp, in: .local)?.timeOfDay ?? "?",
            position.coordinate.latitude.fixed(7), position.coordinate.longitude.fixed(7),
            Measure.distance(position.horizontalAccuracy),
            position.altitude.map { "\($0.fixed(1)) m" } ?? "–",
            position.speed.map { "\(($0 * 3.6).fixed(1)) km/h" } ?? "–",
            position.course.map { "\($0.fixed(0))° \(Self.compass($0))" } ?? "–",
        ]
        var line = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { line += "  " }
            let text = Self.right(cell, Self.columns[index].width)
            switch index {
            case 0: line += terminal.styled(text, .dim)
            case 3: line += terminal.styled(text, Self.style(accuracy: position.horizontalAccuracy))
            default: line += text
            }
        }
        let remarks = remarks(position)
        return remarks.isEmpty ? line : line + "  " + terminal.styled(remarks.joined(separator: ", "), .cyan)
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
        add("Time", CivilTime(position.timestamp, in: .local)?.iso8601)
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
