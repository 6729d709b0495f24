import CommandLineKit
import Location

/// The receiver's view of the sky, for a person: a table, and on a terminal a map of the sky.
struct SatelliteText {
    let sky: SkyView
    let terminal: Terminal

    /// The lines, without their ends: side by side where the terminal is wide enough.
    var lines: [String] {
        let table = table.lines(
            for: Terminal(isTerminal: false, hasColor: terminal.hasColor, encoding: terminal.encoding))
        guard terminal.isTerminal, sky.satellites.contains(where: { $0.elevation != nil && $0.azimuth != nil }) else {
            return summary + table
        }
        let plot = SkyPlot(satellites: sky.satellites, terminal: terminal).lines
        guard !plot.isEmpty else { return summary + table }
        guard terminal.width >= Self.tableWidth + 3 + SkyPlot.width else { return summary + table + [""] + plot }
        let widths = self.table.lines(for: Terminal(isTerminal: false, encoding: terminal.encoding)).map(\.displayWidth)
        let height = max(table.count, plot.count)
        let rows = (0..<height).map { row in
            let left = row < table.count ? table[row] : ""
            let width = row < table.count ? widths[row] : 0
            let right = row < plot.count ? plot[row] : ""
            return left + String(repeating: " ", count: max(0, Self.tableWidth - width) + 3) + right
        }
        return summary + rows
    }

    /// The width of the table with all columns, where a system has the longest name, such as `galileo`.
    private static let tableWidth = 63

    private var summary: [String] {
        let used = sky.satellites.count { $0.isUsed }
        var text = "\(used) of \(Measure.count(sky.satellites.count, "satellite")) used"
        if let hdop = sky.hdop { text += ", HDOP \(hdop.fixed(1))" }
        if let pdop = sky.pdop { text += ", PDOP \(pdop.fixed(1))" }
        let lines = terminal.isTerminal ? text.wrapped(to: terminal.width) : [text]
        return lines.map { terminal.styled($0, .bold) }
    }

    private var table: Table {
        var table = Table(columns.map(\.head))
        for satellite in ordered { table.add(columns.map { cell($0, satellite) }) }
        return table
    }

    private enum Column: CaseIterable {
        case label, system, elevation, azimuth, signal, bar, isUsed

        var head: Table.Column {
            switch self {
            case .label: .init("SATELLITE")
            case .system: .init("SYSTEM")
            case .elevation: .init("ELEVATION", isNumeric: true)
            case .azimuth: .init("AZIMUTH", isNumeric: true)
            case .signal: .init("dB-Hz", isNumeric: true)
            case .bar: .init("SIGNAL")
            case .isUsed: .init("USED")
            }
        }
    }

    /// The columns that fit: the label implies the system, the figure the bar, and the map of the sky the direction.
    private var columns: [Column] {
        guard terminal.isTerminal, terminal.width < Self.tableWidth else { return Column.allCases }
        return terminal.width < 44
            ? [.label, .elevation, .signal, .isUsed] : [.label, .elevation, .azimuth, .signal, .isUsed]
    }

    private func cell(_ column: Column, _ satellite: Satellite) -> Table.Cell {
        let signal = satellite.signalToNoise ?? 0
        switch column {
        case .label: return Table.Cell(satellite.label, satellite.isUsed ? .green : .dim)
        case .system: return Table.Cell(satellite.constellation.rawValue)
        case .elevation: return Table.Cell(satellite.elevation.map { "\($0.fixed(0))°" } ?? "–")
        case .azimuth: return Table.Cell(satellite.azimuth.map { "\($0.fixed(0))°" } ?? "–")
        case .signal: return Table.Cell(satellite.signalToNoise.map { $0.fixed(0) } ?? "–")
        case .bar: return Table.Cell(Self.bar(signal), Self.style(signal))
        case .isUsed: return Table.Cell(satellite.isUsed ? "yes" : "no")
        }
    }

    /// Satellites in use first, then by the strength of the signal.
    private var ordered: [Satellite] {
        sky.satellites.sorted { left, right in
            if left.isUsed != right.isUsed { return left.isUsed }
            return (right.signalToNoise ?? 0, left.number) < (left.signalToNoise ?? 0, right.number)
        }
    }

    /// Ten characters for 50 dB-Hz, about the strongest possible signal.
    static func bar(_ signal: Double) -> String {
        let full = signal.isFinite ? Int((min(max(signal, 0), 50) / 5).rounded()) : 0
        return String(repeating: "█", count: full) + String(repeating: "·", count: 10 - full)
    }

    /// Below 25 dB-Hz a receiver hardly tracks a satellite; from 35 it does well.
    private static func style(_ signal: Double) -> Terminal.Style {
        signal >= 35 ? .green : signal >= 25 ? .yellow : .red
    }
}

extension Satellite {
    /// The system's letter in RINEX, and the number within it: `G12`.
    var label: String { "\(constellation.letter)\(constellationNumber ?? number)" }
}

extension Constellation {
    /// Its letter in RINEX, version 4.01 table 1; `?` without one.
    fileprivate var letter: String {
        switch self {
        case .gps: "G"
        case .sbas: "S"
        case .galileo: "E"
        case .beidou: "C"
        case .qzss: "J"
        case .glonass: "R"
        case .navic: "I"
        case .imes, .unknown: "?"
        }
    }
}
