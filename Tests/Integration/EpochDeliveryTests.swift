import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Deliveries of the daemon for a gpsd that reports a position more than once, or without a date.
@Suite(.waits, .timeLimit(.minutes(15))) struct EpochDeliveryTests {
    private func position(at microseconds: Int64, isFull: Bool) -> String {
        let time = UTCTime(microseconds: microseconds).iso8601(fraction: 3)
        let more = isFull ? #","altMSL":8.0,"epv":5.0,"track":10.0,"speed":2.0"# : ""
        return #"{"class":"TPV","device":"\#(ScriptedGPSD.device)","mode":\#(isFull ? 3 : 2),"time":"\#(time)","#
            + #""lat":47.000000000,"lon":-30.000000000,"eph":\#(isFull ? 4.0 : 20.0)\#(more)}"# + "\r\n"
    }

    /// Whether this number of positions arrives in time, counted from the beginning.
    private func has(_ count: Int, _ reader: UpdateReader) -> Bool {
        eventually(within: Patience.daemon) { reader.positions.count >= count }
    }

    @Test func `an epoch is delivered once, completed, or with its first report to clients that request that`() throws {
        let gpsd = try ScriptedGPSD()
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(gpsd: gpsd.address)
        let reader = try UpdateReader(daemon.socketPath)
        let hasty = try UpdateReader(daemon.socketPath, MonitorRequest(firstReport: true))
        defer {
            reader.stop()
            hasty.stop()
        }
        try #require(eventually { gpsd.received.contains("?WATCH") && reader.received.count > 0 })
        try #require(eventually { hasty.received.count > 0 })
        let start = SystemClock().utcMicroseconds
        for epoch in 0..<12 {
            let time = start + Int64(epoch) * 1_000_000
            gpsd.send(position(at: time, isFull: false) + position(at: time, isFull: true))
            try #require(has(epoch + 1, reader))
            try #require(has(epoch + 1, hasty))
        }
        #expect(reader.positions.count == 12)
        #expect(hasty.positions.count == 12)
        // The first epochs teach that more is to be expected.
        let full = reader.positions.map { $0.altitude != nil && $0.horizontalAccuracy < 3 }
        #expect(full.prefix(1) == [false])
        #expect(full.suffix(8).allSatisfy { $0 })
        #expect(hasty.positions.allSatisfy { $0.altitude == nil && $0.horizontalAccuracy > 10 })
        #expect(Set(reader.positions.map(\.timestamp)) == Set(hasty.positions.map(\.timestamp)))
    }

    @Test func `the last epoch is delivered although nothing fuller follows it`() throws {
        let gpsd = try ScriptedGPSD()
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(gpsd: gpsd.address)
        let reader = try UpdateReader(daemon.socketPath)
        defer { reader.stop() }
        try #require(eventually { gpsd.received.contains("?WATCH") && reader.received.count > 0 })
        let start = SystemClock().utcMicroseconds
        for epoch in 0..<4 {
            let time = start + Int64(epoch) * 1_000_000
            gpsd.send(position(at: time, isFull: false) + position(at: time, isFull: true))
            try #require(has(epoch + 1, reader))
        }
        gpsd.send(position(at: start + 4_000_000, isFull: false))
        #expect(has(5, reader))
        #expect(reader.positions.last?.altitude == nil)
    }

    @Test
    func `a receiver without a date is reported as such, and its positions have the time of this machine's clock`()
        throws
    {
        let gpsd = try ScriptedGPSD()
        defer { gpsd.stop() }
        let daemon = try DaemonProcess(configuration: "[Receiver]\nSystemTimestamps=always\n", gpsd: gpsd.address)
        let reader = try UpdateReader(daemon.socketPath)
        defer { reader.stop() }
        let undated =
            #"{"class":"TPV","device":"\#(ScriptedGPSD.device)","mode":3,"lat":47.0,"lon":-30.0,"eph":4.0}"# + "\r\n"
        let clock = SystemClock()
        let began = Double(clock.utcMicroseconds) / 1e6
        var sentAt: UInt64 = 0
        func send(until isOver: () throws -> Bool) throws -> Bool {
            try eventually {
                // Five reports a second, as from a receiver: undated reports that arrive all at once get no timestamp.
                if clock.monotonicNanoseconds - sentAt > 200_000_000 {
                    sentAt = clock.monotonicNanoseconds
                    gpsd.send(undated)
                }
                return try isOver()
            }
        }
        #expect(try send { reader.received.contains { $0.update.diagnostics.contains("noTime") } })
        #expect(try undatedState(daemon) == .waiting)
        // After a silence, as of a test that the machine does not run, the daemon waits for a date again.
        #expect(try send { try !reader.positions.isEmpty && undatedState(daemon) == .stamped })
        let position = try #require(reader.positions.first)
        #expect(position.timestampSource == .systemClock)
        #expect(position.timestamp > began - 1 && position.timestamp < Double(clock.utcMicroseconds) / 1e6 + 1)
    }

    private func undatedState(_ daemon: DaemonProcess) throws -> UndatedState {
        try OperatorClient(daemon).status().receiver.undated
    }
}
