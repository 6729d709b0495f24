import CommandLineKit
import Location

/// A map of the sky in characters: north is up, the horizon is the circle, the zenith its centre.
struct SkyPlot {
    let satellites: [Satellite]
    let terminal: Terminal

    private static let largestRadius = 9
    private static let smallestRadius = 5
    /// The largest width in columns: a character is half as wide as high, and labels may extend at the right.
    static let width = width(ofRadius: largestRadius)

    private static func width(ofRadius radius: Int) -> Int { 4 * radius + 8 }

    /// Lines from the horizon to the zenith, limited by the terminal's columns.
    private var radius: Int { min(Self.largestRadius, (terminal.width - 8) / 4) }

    private struct Mark {
        var text: Character
        var style: Terminal.Style?
    }

    /// The lines, without their ends; none where the terminal is too narrow.
    var lines: [String] {
        guard radius >= Self.smallestRadius else { return [] }
        let rows = 2 * radius + 1
        var grid = [[Mark]](
            repeating: [Mark](repeating: Mark(text: " ", style: nil), count: Self.width(ofRadius: radius)), count: rows)
        for elevation in [0.0, 45.0] {
            for degrees in stride(from: 0.0, to: 360, by: 3) { put("·", elevation, degrees, .dim, &grid) }
        }
        put("+", 90, 0, .dim, &grid)
        for (name, azimuth) in [("N", 0.0), ("E", 90.0), ("S", 180.0), ("W", 270.0)] {
            put(name, 0, azimuth, .bold, &grid)
        }
        // Satellites in use are drawn last, so that they cover the others.
        for satellite in satellites.sorted(by: { !$0.isUsed && $1.isUsed }) {
            guard let elevation = satellite.elevation, let azimuth = satellite.azimuth, elevation >= 0 else { continue }
            let label = satellite.isUsed ? satellite.label : satellite.label.lowercased()
            put(label, elevation, azimuth, satellite.isUsed ? .green : .yellow, &grid)
        }
        return grid.map(line) + [terminal.styled("G12 used, g12 seen only", .dim)]
    }

    private func put(
        _ text: String, _ elevation: Double, _ azimuth: Double, _ style: Terminal.Style, _ grid: inout [[Mark]]
    ) {
        guard elevation.isFinite, azimuth.isFinite else { return }
        let distance = (90 - min(elevation, 90)) / 90 * Double(radius)
        let (east, north) = Bearing.components(azimuth)
        let row = radius - Int((distance * north).rounded())
        let column = 2 * radius + 1 + Int((2 * distance * east).rounded())
        for (offset, character) in text.enumerated() where grid[row].indices.contains(column + offset) {
            grid[row][column + offset] = Mark(text: character, style: style)
        }
    }

    private func line(_ marks: [Mark]) -> String {
        let used = marks.lastIndex { $0.text != " " }.map { marks[...$0] } ?? []
        return used.map { terminal.styled(String($0.text), $0.text == " " ? nil : $0.style) }.joined()
    }
}
