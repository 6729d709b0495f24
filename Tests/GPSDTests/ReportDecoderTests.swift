import GPSD
import Location
import Testing

func decode(_ line: String) throws(LineFault) -> Report {
    var decoder = ReportDecoder()
    return try decoder.decode(Array(line.utf8).span)
}

private func tpv(_ line: String) throws -> TPV? {
    if case .tpv(let tpv) = try decode(line) { tpv } else { nil }
}

private func sky(_ line: String) throws -> SkyView? {
    if case .sky(let sky) = try decode(line) { sky } else { nil }
}

struct ReportDecoderTests {
    @Test func `a TPV keeps every figure of the line`() throws {
        let line = """
            {"class":"TPV","device":"/dev/ttyACM0","status":2,"mode":3,"time":"2026-11-21T12:00:00.250Z",\
            "leapseconds":18,"ept":0.005,"lat":54.500000125,"lon":-3.250000001,"altHAE":45.1230,"altMSL":1.5,\
            "alt":1.5,"epx":1.866,"epy":2.5,"epv":5.175,"track":31.4718,"magtrack":33.2,"magvar":1.7,"speed":0.129,\
            "climb":-0.1,"epd":12.5,"eps":3.73,"epc":10.35,"geoidSep":43.623,"eph":4.560,"sep":6.27}
            """
        let expected = TPV(
            mode: 3, status: 2, time: UTCTime(microseconds: 1_795_262_400_250_000), latitude: 54.500000125,
            longitude: -3.250000001, altitudeHAE: 45.123, altitudeMSL: 1.5, eph: 4.56, epx: 1.866, epy: 2.5,
            epv: 5.175, epd: 12.5, eps: 3.73, epc: 10.35, track: 31.4718, speed: 0.129, climb: -0.1, leapSeconds: 18,
            magneticVariation: 1.7, receiver: "/dev/ttyACM0")
        #expect(try tpv(line) == expected)
    }

    @Test func `what a TPV leaves out is nil and not left from the line before`() throws {
        var decoder = ReportDecoder()
        let full =
            #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T12:00:00.000Z","lat":1,"lon":2,"eph":3}"#
        _ = try decoder.decode(Array(full.utf8).span)
        let empty = try decoder.decode(Array(#"{"class":"TPV","mode":1}"#.utf8).span)
        #expect(empty == .tpv(TPV(mode: 1)))
    }

    @Test func `attributes may come in any order, with spaces, and the class last`() throws {
        let line = #" { "lon" : 2 , "mode" : 3 , "lat" : 1.5 , "class" : "TPV" } "#
        #expect(try decode(line) == .tpv(TPV(mode: 3, latitude: 1.5, longitude: 2)))
    }

    @Test(arguments: [
        #""future":{"a":[1,{"b":2}]}"#, #""future":[1,2,3]"#, #""future":null"#, #""eps":nan"#, #""eps":"text""#,
        #""time":1795262400.5"#, #""time":"yesterday""#, #""time":"2026-11-21T12:00:00+01:00""#,
        #""time":"2026-13-21T12:00:00Z""#, #""future":"a \"quoted\" word \\""#, #""leapseconds":99999999999"#,
        #""eps":\#(String(repeating: "1", count: 500))"#, #""future":"\#(String(repeating: "x", count: 9000))""#,
        #""device":"\#(String(repeating: "y", count: 300))""#, #""device":17"#,
        #""\#(String(repeating: "k", count: 300))":5"#,
    ])
    func `an attribute that libgps cannot read is lost alone`(_ attribute: String) throws {
        let line = #"{"class":"TPV",\#(attribute),"mode":3,"lat":1.5,"lon":2}"#
        #expect(try decode(line) == .tpv(TPV(mode: 3, latitude: 1.5, longitude: 2)))
    }

    @Test func `an infinite number is handed on for the filter to refuse`() throws {
        #expect(try tpv(#"{"class":"TPV","mode":3,"lat":1e400,"lon":2}"#)?.latitude == .infinity)
    }

    @Test func `a leap second is the second after it`() throws {
        let report = try tpv(#"{"class":"TPV","mode":3,"time":"2016-12-31T23:59:60.000Z"}"#)
        #expect(report?.time == UTCTime(microseconds: 1_483_228_800_000_000))
    }

    @Test func `the one altitude of an old gpsd is above mean sea level`() throws {
        #expect(try tpv(#"{"class":"TPV","mode":3,"alt":12.5}"#)?.altitudeMSL == 12.5)
    }

    @Test(arguments: [
        "", "hello", "{", "}", "[]", "null", #"{"class":"TPV""#, #"{"class":"TPV","lat"#, #"{"class":"TPV","lat":}"#,
        #"{"class":"TPV"}{"class":"SKY"}"#, #"{"class":"TPV"} x"#, #"{"class":"TPV",}"#, #"{class:"TPV"}"#,
        #"{"class":"TP"#, #"{"class":"TPV\"#, "\u{0}", #"{"class":"T\#u{1}PV"}"#,
    ])
    func `half a line and what is no report is refused`(_ line: String) {
        #expect(throws: LineFault.notAnObject) { () throws(LineFault) in try decode(line) }
    }

    @Test func `a report without a class is refused`() {
        #expect(throws: LineFault.noClass) { () throws(LineFault) in try decode(#"{"mode":3}"#) }
        #expect(throws: LineFault.noClass) { () throws(LineFault) in try decode(#"{"class":3}"#) }
    }

    @Test func `nesting and members have limits`() {
        let deep = #"{"class":"TPV","a":"# + String(repeating: "[", count: 100_000)
        #expect(throws: LineFault.tooDeep) { () throws(LineFault) in try decode(deep) }
        let objects = String(repeating: #"{"a":"#, count: 100_000)
        #expect(throws: LineFault.tooDeep) { () throws(LineFault) in try decode(objects) }
        let many = #"{"class":"TPV""# + (0..<500).map { ",\"m\($0)\":1" }.joined() + "}"
        #expect(throws: LineFault.tooManyMembers) { () throws(LineFault) in try decode(many) }
    }

    @Test func `a sky view has its satellites and dilutions`() throws {
        let line = """
            {"class":"SKY","device":"/dev/a","time":"2026-11-21T12:00:00.000Z","xdop":0.6,"hdop":1.2,"pdop":2.5,\
            "nSat":3,"uSat":1,"satellites":[\
            {"PRN":5,"el":41.0,"az":50.5,"ss":46.0,"used":true,"gnssid":0,"svid":5,"health":1,"qual":7},\
            {"PRN":74,"el":9.0,"az":182.0,"ss":-1.0,"used":false,"gnssid":6,"svid":10,"freqid":3},\
            {"PRN":301,"used":false}]}
            """
        let expected = SkyView(
            time: UTCTime(microseconds: 1_795_262_400_000_000),
            satellites: [
                Satellite(
                    number: 5, constellation: .gps, constellationNumber: 5, elevation: 41, azimuth: 50.5,
                    signalToNoise: 46, isUsed: true),
                Satellite(
                    number: 74, constellation: .glonass, constellationNumber: 10, elevation: 9, azimuth: 182),
                Satellite(number: 301, constellation: .unknown),
            ], hdop: 1.2, pdop: 2.5, receiver: "/dev/a")
        #expect(try sky(line) == expected)
    }

    @Test func `a sky view of a newer gpsd without satellites says so`() throws {
        let view = try sky(#"{"class":"SKY","device":"/dev/a","nSat":10,"uSat":5,"hdop":1.5}"#)
        #expect(view == SkyView(listsSatellites: false, hdop: 1.5, receiver: "/dev/a"))
        #expect(try sky(#"{"class":"SKY","satellites":[]}"#)?.listsSatellites == true)
    }

    @Test func `satellites beyond the limit of libgps are counted and the others retained`() throws {
        let satellites = (1...200).map { "{\"PRN\":\($0),\"used\":true}" }.joined(separator: ",")
        var decoder = ReportDecoder()
        let line = #"{"class":"SKY","satellites":[\#(satellites)],"hdop":1.5}"#
        guard case .sky(let view) = try decoder.decode(Array(line.utf8).span) else {
            Issue.record("no sky view")
            return
        }
        #expect(view.satellites.map(\.number) == Array(1...140))
        #expect(view.hdop == 1.5)
        #expect(decoder.droppedSatellites == 60)
    }

    @Test func `noise statistics and attitude are read`() throws {
        let gst =
            #"{"class":"GST","device":"/dev/a","time":"2026-11-21T12:00:00.000Z","rms":1.5,"major":2.5,"#
            + #""minor":1.25,"orient":30,"lat":1.5,"lon":2.0,"alt":3.5}"#
        let expected = GST(
            time: UTCTime(microseconds: 1_795_262_400_000_000), latitudeDeviation: 1.5, longitudeDeviation: 2,
            altitudeDeviation: 3.5, majorDeviation: 2.5, minorDeviation: 1.25, receiver: "/dev/a")
        #expect(try decode(gst) == .gst(expected))
        let att = #"{"class":"ATT","device":"/dev/b","heading":14.5,"mag_st":"N","pitch":1.25,"roll":-3,"yaw":2}"#
        #expect(try decode(att) == .att(ATT(heading: 14.5, pitch: 1.25, roll: -3, yaw: 2, receiver: "/dev/b")))
    }

    @Test func `the magnetic heading of a newer gpsd is read, alone or beside the true one`() throws {
        let alone = #"{"class":"ATT","device":"/dev/b","mheading":14.5,"heading":"x"}"#
        #expect(try decode(alone) == .att(ATT(magneticHeading: 14.5, receiver: "/dev/b")))
        let both =
            #"{"class":"ATT","time":"2026-11-21T12:00:00.000Z","mheading":14.5,"heading":20,"pitch":1,"device":"/dev/b"}"#
        let expected = ATT(
            time: UTCTime(microseconds: 1_795_262_400_000_000), heading: 20, magneticHeading: 14.5, pitch: 1,
            receiver: "/dev/b")
        #expect(try decode(both) == .att(expected))
        // Nothing remains of an earlier line.
        #expect(try decode(#"{"class":"ATT","device":"/dev/b","pitch":1}"#) == .att(ATT(pitch: 1, receiver: "/dev/b")))
    }

    @Test(arguments: [("C", true), ("L", true), ("P", true), ("V", true), ("N", false), ("M", false), ("CC", false)])
    func `a compass's own alarm is read`(status: String, hasAlarm: Bool) throws {
        let line = #"{"class":"ATT","heading":14.5,"mag_st":"\#(status)"}"#
        #expect(try decode(line) == .att(ATT(heading: 14.5, hasAlarm: hasAlarm)))
    }

    @Test func `the magnetic variation is read`() throws {
        #expect(try tpv(#"{"class":"TPV","mode":3,"magvar":-12.8}"#)?.magneticVariation == -12.8)
        #expect(try tpv(#"{"class":"TPV","mode":3}"#)?.magneticVariation == nil)
    }

    @Test func `a device that went is known by its activation of 0`() throws {
        let removed = try decode(#"{"class":"DEVICE","path":"/dev/a","activated":0}"#)
        #expect(removed == .device(Device(path: "/dev/a", isPresent: false)))
        let line =
            #"{"class":"DEVICE","path":"/dev/a","activated":"2026-11-21T12:00:00.000Z","driver":"u-blox","#
            + #""flags":1,"native":1,"bps":9600,"parity":"N","stopbits":1,"cycle":1.50,"mincycle":0.25}"#
        let here = Device(
            path: "/dev/a", driver: "u-blox", activated: UTCTime(microseconds: 1_795_262_400_000_000),
            cycleSeconds: 1.5)
        #expect(try decode(line) == .device(here))
    }

    @Test(arguments: [0, 1, 4, 9, 64])
    func `any number of devices is read`(_ count: Int) throws {
        let devices = (0..<count).map { #"{"class":"DEVICE","path":"/dev/\#($0)","driver":"NMEA0183"}"# }
        let line = #"{"class":"DEVICES","devices":[\#(devices.joined(separator: ","))]}"#
        let expected = (0..<count).map { Device(path: "/dev/\($0)", driver: "NMEA0183") }
        #expect(try decode(line) == .devices(expected))
    }

    @Test func `the banner, the answer to a request and an error are read`() throws {
        let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
        #expect(try decode(version) == .version(ProtocolVersion(release: "3.22", major: 3, minor: 14)))
        let watch = #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"pps":true}"#
        #expect(try decode(watch) == .watch(isEnabled: true))
        #expect(try decode(#"{"class":"ERROR","message":"Unrecognized request"}"#) == .error("Unrecognized request"))
    }

    @Test func `offsets of the clock are read`() throws {
        let figures = #""real_sec":1795262400,"real_nsec":0,"clock_sec":1795262400,"clock_nsec":123456000"#
        let offset = ClockOffset(
            real: UTCTime(microseconds: 1_795_262_400_000_000), clock: UTCTime(microseconds: 1_795_262_400_123_456),
            receiver: "/dev/a")
        #expect(try decode(#"{"class":"TOFF","device":"/dev/a",\#(figures)}"#) == .toff(offset))
        #expect(try decode(#"{"class":"PPS","device":"/dev/a",\#(figures),"precision":-20}"#) == .pps(offset))
    }

    @Test func `a class that is not decoded is reported by its name`() throws {
        #expect(try decode(#"{"class":"AIS","type":5}"#) == .other("AIS"))
        #expect(try decode(#"{"class":"RTCM3","x":[[1]]}"#) == .other("RTCM3"))
    }

    @Test func `no line of damaged reports does harm`() throws {
        let lines = [
            #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T12:00:00.250Z","lat":1.5,"lon":2,"eph":3}"#,
            #"{"class":"SKY","hdop":1.5,"satellites":[{"PRN":5,"el":1.0,"used":true,"gnssid":0,"svid":5}]}"#,
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/0","activated":0}]}"#,
        ]
        var generator = Seeded(state: 22)
        var decoder = ReportDecoder()
        for _ in 0..<20_000 {
            var bytes = Array(lines[Int.random(in: 0..<lines.count, using: &generator)].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &generator)], at: place)
                default: bytes.removeLast(min(bytes.count - 1, place / 8))
                }
            }
            do throws(LineFault) { _ = try decoder.decode(bytes.span) } catch { continue }
        }
        // It still reads after all that.
        #expect(try decoder.decode(Array(#"{"class":"TPV","mode":1}"#.utf8).span) == .tpv(TPV(mode: 1)))
    }
}

/// SplitMix64: the same numbers each time.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
