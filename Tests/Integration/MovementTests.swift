import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Streams whose positions depend on the movement of the machine, fed by a gpsd that reports minutes at once.
@Suite(.waits, .timeLimit(.minutes(15))) struct MovementTests {
    private let gpsd: ScriptedGPSD
    private let daemon: DaemonProcess
    /// Microseconds of the first report.
    private let start = SystemClock().utcMicroseconds - 7_200_000_000

    init() throws {
        gpsd = try ScriptedGPSD()
        // Here gpsd reports hours at once, so that the receiver cannot sleep meanwhile. A position stays valid for an hour:
        // the news that there is none would interrupt a pause.
        daemon = try DaemonProcess(
            configuration: "[Receiver]\nPower=continuous\nStaleAfter=1h\n", gpsd: gpsd.address)
    }

    /// Reports of the seconds after the first one, so many metres north of a place in the open sea.
    private func report(_ seconds: Range<Int>, speed: Double, north: (Int) -> Double) {
        let reports = seconds.map { second -> String in
            let time = UTCTime(microseconds: start + Int64(second) * 1_000_000).iso8601(fraction: 3)
            let latitude = 47 + north(second) / 111_195
            return #"{"class":"TPV","device":"\#(ScriptedGPSD.device)","mode":3,"time":"\#(time)","lat":\#(latitude),"#
                + #""lon":-30.0,"altMSL":8.0,"epx":3.0,"epy":3.0,"eph":4.0,"eps":0.2,"track":0.0,"speed":\#(speed)}"#
                + "\r\n"
        }
        gpsd.send(reports.joined())
    }

    private func reader(_ request: MonitorRequest) throws -> UpdateReader {
        let reader = try UpdateReader(daemon.socketPath, request)
        try #require(eventually { gpsd.received.contains("?WATCH") && reader.received.count > 0 }, "\(daemon.log)")
        return reader
    }

    /// Which seconds the positions of a reader are of, once the last of these has come.
    private func seconds(_ reader: UpdateReader, upTo last: Int) throws -> [Int] {
        func seconds() -> [Int] { reader.positions.map { Int(($0.timestamp - Double(start) / 1e6).rounded()) } }
        try #require(eventually(within: Patience.daemon) { seconds().last == last }, "\(seconds()) \(daemon.log)")
        return seconds()
    }

    @Test func `an update says that the machine is stationary, and that it moves again`() throws {
        defer { gpsd.stop() }
        let reader = try reader(MonitorRequest(distanceFilter: 1_000_000))
        defer { reader.stop() }
        report(0..<10, speed: 10) { 10 * Double($0) }
        report(10..<100, speed: 0) { _ in 100 }
        report(100..<110, speed: 5) { 100 + 5 * Double($0 - 100) }
        #expect(try seconds(reader, upTo: 102) == [0, 70, 102])
        let updates = reader.received.map(\.update).filter { $0.position != nil }
        #expect(updates.map(\.stationary) == [false, true, false])
        #expect(updates.allSatisfy { $0.diagnostics.isEmpty })
    }

    @Test func `a stream that pauses says so, sends nothing while the machine is stationary and goes on by movement`()
        throws
    {
        defer { gpsd.stop() }
        let reader = try reader(MonitorRequest(activityType: .fitness, pausesAutomatically: true))
        defer { reader.stop() }
        report(0..<10, speed: 3) { 3 * Double($0) }
        #expect(try seconds(reader, upTo: 9) == Array(0...9))
        // Of positions that a reader has not taken yet only the newest stays queued, so a few are sent at a time.
        for first in stride(from: 10, through: 130, by: 11) {
            report(first..<first + 11, speed: 0) { _ in 30 }
            #expect(try seconds(reader, upTo: first + 10) == Array(0...first + 10))
        }
        report(131..<300, speed: 0) { _ in 30 }
        report(300..<310, speed: 4) { 30 + 4 * Double($0 - 300) }
        try #require(try seconds(reader, upTo: 309) == Array(0...130) + Array(302...309))
        let updates = reader.received.map(\.update).filter { $0.position != nil }
        #expect(updates[130].diagnostics == ["stationary"] && updates[130].stationary)
        #expect(updates[131].diagnostics == [] && !updates[131].stationary)
        #expect(updates.count { $0.diagnostics.contains("stationary") } == 1)
    }

    @Test func `significant changes are the first position, and then one in 500 m and 300 s`() throws {
        defer { gpsd.stop() }
        let reader = try reader(MonitorRequest(significantChanges: true))
        defer { reader.stop() }
        report(0..<1000, speed: 20) { 20 * Double($0) }
        report(1000..<1500, speed: 0) { _ in 20_000 }
        report(1500..<1700, speed: 20) { 20_000 + 20 * Double($0 - 1500) }
        #expect(try seconds(reader, upTo: 1525) == [0, 300, 600, 900, 1200, 1525])
    }
}
