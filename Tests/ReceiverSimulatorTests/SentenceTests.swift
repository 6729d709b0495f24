import Location
import Testing

@testable import ReceiverSimulator

/// The expected lines, checksums included, were worked out without this program.
struct SentenceTests {
    private let gps = Dialect(constellations: [.gps, .sbas])
    private let combined = Dialect(constellations: [.gps, .glonass, .galileo, .beidou])

    @Test func `the checksum is that of the example known from NMEA 0183`() {
        let fields = ["123519", "4807.038", "N", "01131.000", "E", "1", "08", "0.9", "545.4", "M", "46.9", "M", "", ""]
        #expect(
            Sentence("GPGGA", fields).text == "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47")
    }

    @Test func `a checksum below sixteen has two digits`() {
        #expect(Sentence("PGRMM", ["WGS 84"]).text == "$PGRMM,WGS 84*06")
    }

    @Test func `RMC has time, place, movement and date`() {
        #expect(
            Sentence.rmc(.example, gps).text
                == "$GPRMC,083015.20,A,1525.20000,S,12433.00000,E,19.438,275.50,010626,,,D*4C")
        #expect(
            Sentence.rmc(.example, combined).text
                == "$GNRMC,083015.20,A,1525.20000,S,12433.00000,E,19.438,275.50,010626,,,D,V*28")
        #expect(Sentence.rmc(.example(.timeOnly), gps).text == "$GPRMC,083015.20,V,,,,,,,010626,,,N*73")
        #expect(Sentence.rmc(.example(.nothing), gps).text == "$GPRMC,,V,,,,,,,,,,N*53")
    }

    @Test func `GGA has the quality and, in three dimensions, the altitude`() {
        #expect(
            Sentence.gga(.example, gps).text
                == "$GPGGA,083015.20,1525.20000,S,12433.00000,E,2,05,1.20,22.5,M,29.4,M,1.0,0120*59")
        #expect(
            Sentence.gga(.example(.twoDimensional), gps).text
                == "$GPGGA,083015.20,1525.20000,S,12433.00000,E,2,05,1.20,,M,29.4,M,1.0,0120*42")
        #expect(Sentence.gga(.example(.nothing), gps).text == "$GPGGA,,,,,,0,05,1.20,,M,,M,,*7E")
    }

    @Test func `GLL has time and place`() {
        #expect(
            Sentence.gll(.example, gps).text == "$GPGLL,1525.20000,S,12433.00000,E,083015.20,A,D*7A")
        #expect(Sentence.gll(.example(.nothing), gps).text == "$GPGLL,,,,,,V,N*64")
    }

    @Test func `VTG has course and speed in two units`() {
        #expect(Sentence.vtg(.example, gps).text == "$GPVTG,275.50,T,,M,19.438,N,36.000,K,D*3F")
        #expect(Sentence.vtg(.example(.timeOnly), gps).text == "$GPVTG,,T,,M,,N,,K,N*2C")
    }

    @Test func `GST has the errors`() {
        #expect(Sentence.gst(.example, gps).text == "$GPGST,083015.20,4.00,2.50,1.50,0.00,2.50,1.50,4.00*6A")
        #expect(Sentence.gst(.example(.nothing), gps).text == "$GPGST,,,,,,,,*57")
    }

    @Test func `ZDA has a year of four digits`() {
        #expect(Sentence.zda(.example, gps).text == "$GPZDA,083015.20,01,06,2026,00,00*6A")
        #expect(Sentence.zda(.example(.nothing), gps).text == "$GPZDA,,,,,,*48")
    }

    @Test func `GSA lists which satellites are used`() {
        #expect(
            Sentence.gsa(.example, gps).map(\.text) == ["$GPGSA,A,3,02,05,13,24,33,,,,,,,,2.30,1.20,1.96*0D"])
        #expect(
            Sentence.gsa(.blind, gps).map(\.text) == ["$GPGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99*30"])
    }

    @Test func `GSV lists all satellites in view, four a sentence`() {
        #expect(
            Sentence.gsv(.example, gps).map(\.text) == [
                "$GPGSV,2,1,06,02,70,045,47,05,45,120,43,13,30,359,38,24,09,200,31*71",
                "$GPGSV,2,2,06,33,40,000,36,30,03,310,*7C",
            ])
        #expect(Sentence.gsv(.blind, gps).map(\.text) == ["$GPGSV,1,1,00*79"])
    }

    @Test func `each of several systems has sentences of its own`() {
        #expect(
            Sentence.gsa(.manySystems, combined).map(\.text) == [
                "$GNGSA,A,3,02,,,,,,,,,,,,2.30,1.20,1.96,1*0F", "$GNGSA,A,3,70,,,,,,,,,,,,2.30,1.20,1.96,2*09",
                "$GNGSA,A,3,11,,,,,,,,,,,,2.30,1.20,1.96,3*0F", "$GNGSA,A,3,21,,,,,,,,,,,,2.30,1.20,1.96,4*0B",
            ])
        #expect(
            Sentence.gsv(.manySystems, combined).map(\.text) == [
                "$GPGSV,1,1,01,02,70,045,47,1*52", "$GLGSV,1,1,01,70,20,300,33,1*4F",
                "$GAGSV,1,1,01,11,50,090,41,7*4B", "$GBGSV,1,1,01,21,60,180,45,1*4A",
            ])
    }

    @Test(arguments: [
        (47.58, 2, "4734.80000"), (-15.42, 2, "1525.20000"), (0, 3, "00000.00000"), (179.999_999_999, 3, "18000.00000"),
        (5.016_666_666_6, 3, "00501.00000"), (9.999_999, 2, "0959.99994"),
    ])
    func `degrees become degrees and minutes`(degrees: Double, digits: Int, text: String) {
        #expect(Sentence.degreesAndMinutes(degrees, digits: digits) == text)
    }
}

extension Observation {
    fileprivate static var example: Observation { example(.threeDimensional) }

    fileprivate static func example(_ solution: Solution) -> Observation {
        Observation(
            // 2026-06-01T08:30:15.2Z
            time: UTCTime(microseconds: 1_780_302_615_200_000), solution: solution, quality: .differential,
            latitude: -15.42, longitude: 124.55, altitude: 22.5, geoidSeparation: 29.4, speed: 10, course: 275.5,
            satellites: [
                .init(.gps, 2, 70, 45, 47, true), .init(.gps, 5, 45, 120, 43, true),
                .init(.gps, 13, 30, 359.6, 38, true),
                .init(.gps, 24, 9, 200, 31, true), .init(.sbas, 33, 40, 0, 36, true),
                .init(.gps, 30, 3, 310, nil, false),
            ],
            dilution: DilutionOfPrecision(position: 2.3, horizontal: 1.2, vertical: 1.96),
            errors: ErrorEstimate(range: 4, east: 1.5, north: 2.5, up: 4))
    }

    fileprivate static var manySystems: Observation {
        var observation = example
        observation.satellites = [
            .init(.gps, 2, 70, 45, 47, true), .init(.glonass, 70, 20, 300, 33, true),
            .init(.galileo, 11, 50, 90, 41, true), .init(.beidou, 21, 60, 180, 45, true),
        ]
        return observation
    }

    fileprivate static var blind: Observation {
        var observation = example(.nothing)
        observation.satellites = []
        observation.dilution = .unknown
        return observation
    }
}

extension Observation.TrackedSatellite {
    fileprivate init(
        _ constellation: Constellation, _ number: Int, _ elevation: Double, _ azimuth: Double, _ signal: Int?,
        _ isUsed: Bool
    ) {
        self.init(
            satellite: Sky.Satellite(
                constellation: constellation, number: number, elevation: elevation, azimuth: azimuth),
            signal: signal, isUsed: isUsed)
    }
}
