import CommandLineKit
import Location
import Testing

@testable import Commands

@Suite struct SatelliteTextTests {
    private let sky = SkyView(
        satellites: [
            Satellite(
                number: 12, constellation: .gps, constellationNumber: 12, elevation: 90, azimuth: 0, signalToNoise: 30,
                isUsed: false),
            Satellite(
                number: 301, constellation: .galileo, constellationNumber: 1, elevation: 10, azimuth: 90,
                signalToNoise: 44, isUsed: true),
            Satellite(number: 70, constellation: .glonass),
        ], hdop: 0.9)

    @Test func `satellites in use come first, and unknown values are left empty`() {
        let lines = SatelliteText(sky: sky, terminal: Terminal(isTerminal: false)).lines
        #expect(
            lines == [
                "1 of 3 satellites used, HDOP 0.9",
                "SATELLITE  SYSTEM   ELEVATION  AZIMUTH  dB-Hz  SIGNAL      USED",
                "E1         galileo        10°      90°     44  █████████·  yes",
                "G12        gps            90°       0°     30  ██████····  no",
                "R70        glonass          –        –      –  ··········  no",
            ])
    }

    @Test func `the map has the zenith in its middle, east at its right and used satellites in capitals`() {
        let lines = SkyPlot(satellites: sky.satellites, terminal: Terminal(isTerminal: true)).lines
        #expect(Array(lines[0])[19] == "N")
        #expect(lines[9].hasPrefix(" W"))
        #expect(lines[9].contains("g12"))
        #expect(lines[9].contains("E1"))
        #expect(Array(lines[18])[19] == "S")
    }

    @Test func `the map is beside the table where there is room, and below it elsewhere`() {
        let wide = SatelliteText(sky: sky, terminal: Terminal(isTerminal: true, width: 120)).lines
        let narrow = SatelliteText(sky: sky, terminal: Terminal(isTerminal: true, width: 80)).lines
        #expect(wide.count == 21)
        #expect(narrow.count == 26)
        #expect(wide.allSatisfy { $0.displayWidth <= 120 })
        #expect(narrow.allSatisfy { $0.displayWidth <= 80 })
        let least = SatelliteText(sky: sky, terminal: Terminal(isTerminal: true, width: 63)).lines
        #expect(least[1].contains("SYSTEM") && least.allSatisfy { $0.displayWidth <= 63 })
    }

    @Test(arguments: [40, 48, 59, 62])
    func `on a narrow terminal the columns that say most are left, and a smaller map`(
        _ width: Int
    ) {
        let lines = SatelliteText(sky: sky, terminal: Terminal(isTerminal: true, width: width)).lines
        #expect(lines.allSatisfy { $0.displayWidth <= width }, "\(lines)")
        #expect(lines[1].hasSuffix("USED") && !lines[1].contains("SYSTEM"))
        #expect(lines.contains { $0.contains("g12") })
    }

    @Test func `nonsense from a receiver is drawn nowhere and stops nothing`() {
        let odd = [
            Satellite(number: 1, constellation: .unknown, elevation: .nan, azimuth: .infinity, signalToNoise: .nan),
            Satellite(number: 2, constellation: .gps, elevation: -400, azimuth: 1e300, signalToNoise: -9),
            Satellite(number: 3, constellation: .gps, elevation: 4_000, azimuth: -720, signalToNoise: 1e9),
        ]
        let lines = SatelliteText(sky: SkyView(satellites: odd), terminal: Terminal(isTerminal: true)).lines
        #expect(lines.count > 4)
        #expect(SatelliteText.bar(.infinity).count == 10)
    }
}
