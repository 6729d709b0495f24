import Glibc
import Interfaces
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink
import Waymark

/// gpsd and receivers that appear, disappear, fall silent and compete, with a real gpsd and a real daemon.
@Suite(.waits, .serialized) struct GPSDLossTests {
    private let simulated = ["--simulated"]
    /// Seconds for what is to happen at once, also on a busy machine: fewer than those after which the daemon polls a
    /// silent gpsd.
    private static let promptly = 8.0

    /// Journal entries of these kinds, oldest first.
    private func events(
        _ daemon: DaemonProcess, _ kinds: [JournalInterface.EventKind]
    ) throws -> [JournalEntry] {
        let client = try Client(path: daemon.socketPath, timeout: .seconds(60))
        return try client.call(JournalInterface.Read(kinds: kinds), timeout: .seconds(60)).events
    }

    /// A receiver, its gpsd, a daemon that uses it, and a client that has had a position.
    private final class Scene {
        let receiver: FedTerminal
        let gpsd: RestartableGPSD
        let daemon: DaemonProcess
        let reader: UpdateReader

        init(_ configuration: String = "") throws {
            let receiver = try FedTerminal.tenHertz()
            self.receiver = receiver
            do {
                gpsd = try RestartableGPSD([receiver.path])
                try gpsd.start()
                receiver.begin()
                daemon = try DaemonProcess(configuration: configuration, gpsd: gpsd.address, more: ["--simulated"])
                reader = try UpdateReader(daemon.socketPath)
            } catch {
                receiver.unplug()
                throw error
            }
            #expect(reader.firstPosition() != nil, "\(daemon.log)")
        }

        func end() {
            reader.stop()
            receiver.unplug()
        }
    }

    private func seconds(_ start: UInt64, _ end: UInt64) -> Double { Double(end - min(start, end)) / 1e9 }

    @Test func `the loss of a killed gpsd is reported without waiting for its silence, and so is its return`() throws {
        let scene = try Scene()
        defer { scene.end() }
        let (gpsd, daemon, reader) = (scene.gpsd, scene.daemon, scene.reader)

        for round in 1...3 {
            let before = reader.received.count
            let killed = SystemClock().monotonicNanoseconds
            try gpsd.kill()
            let loss = try #require(reader.firstLoss("receiverLost", from: before), "\(daemon.log)")
            #expect(seconds(killed, loss.at) < Self.promptly)
            try gpsd.start()
            let returned = SystemClock().monotonicNanoseconds
            let index = try #require(reader.received.firstIndex { $0.at == loss.at })
            let again = try #require(reader.firstPosition(from: index), "\(daemon.log)")
            #expect(seconds(returned, again.at) < Self.promptly, "round \(round)")
            // One report of the loss, and none of a failed attempt to connect.
            let between = reader.received[index...].prefix { $0.at < again.at }.map(\.update.diagnostics)
            let words = between.map { $0.last ?? "" }
            #expect(words == ["receiverLost"] || words == ["receiverLost", "noFix"], "\(words)")
        }
        #expect(reader.ending == nil)
        let losses = try events(daemon, ["receiverLost"])
        #expect(losses.count == 3, "\(losses)")
        // A busy machine may delay the receiver's reports for so long that the fix is lost once more.
        let kinds = try events(daemon, ["fixAcquired", "fixLost"]).map(\.kind)
        #expect(kinds.count { $0 == "fixLost" } >= 3 && kinds.count { $0 == "fixAcquired" } >= 4, "\(kinds)")
    }

    @Test func `a client gets one report while gpsd is unavailable, however often the daemon tries to connect`() throws
    {
        let scene = try Scene()
        defer { scene.end() }
        let (gpsd, daemon, reader) = (scene.gpsd, scene.daemon, scene.reader)
        let before = reader.received.count
        try gpsd.kill()
        _ = try #require(reader.firstLoss("receiverLost", from: before), "\(daemon.log)")
        // Several attempts fall into two seconds. None of them is reported.
        _ = eventually(within: 2) { reader.received.last?.update.diagnostics.last == "noFix" }
        let words = reader.received[before...].filter { $0.update.position == nil }.map(\.update.diagnostics)
        #expect(words == [["locationUnavailable", "receiverLost"]], "\(words)")
        // Unavailable for a long time, and in use again as quickly as after a short time.
        let index = reader.received.count
        try gpsd.start()
        let returned = SystemClock().monotonicNanoseconds
        let again = try #require(reader.firstPosition(from: index), "\(daemon.log)")
        #expect(seconds(returned, again.at) < Self.promptly)
    }

    @Test func `a gpsd that starts later is found`() throws {
        let receiver = try FedTerminal.tenHertz()
        defer { receiver.unplug() }
        let gpsd = try RestartableGPSD([receiver.path])
        let daemon = try DaemonProcess(gpsd: gpsd.address, more: simulated)
        let reader = try UpdateReader(daemon.socketPath)
        defer { reader.stop() }
        _ = try #require(reader.firstLoss("receiverLost"), "\(daemon.log)")
        #expect(reader.positions.isEmpty)
        try gpsd.start()
        receiver.begin()
        _ = try #require(reader.firstPosition(within: Patience.daemon), "\(daemon.log)")
    }

    @Test func `a receiver that gpsd releases is reported as lost, and used again when gpsd uses it again`() throws {
        let scene = try Scene()
        defer { scene.end() }
        let (receiver, gpsd, daemon, reader) = (scene.receiver, scene.gpsd, scene.daemon, scene.reader)

        let before = reader.received.count
        try gpsd.remove(receiver.path)
        let loss = try #require(reader.firstLoss("noReceiver", from: before), "\(daemon.log)")
        let lost = try events(daemon, ["receiverLost"])
        let names = lost.map { entry in entry.details["receiver"] }
        #expect(names == [.string(receiver.path)])
        try gpsd.add(receiver.path)
        let index = try #require(reader.received.firstIndex { $0.at == loss.at })
        _ = try #require(reader.firstPosition(from: index), "\(daemon.log)")
    }

    @Test func `a hanging gpsd is detected by its silence, and used again when it continues`() throws {
        let scene = try Scene("[Receiver]\nStaleAfter=1s\n")
        defer { scene.end() }
        let (gpsd, daemon, reader) = (scene.gpsd, scene.daemon, scene.reader)

        let before = reader.received.count
        gpsd.freeze()
        let frozen = SystemClock().monotonicNanoseconds
        let loss = try #require(reader.firstLoss("stale", from: before), "\(daemon.log)")
        #expect(seconds(frozen, loss.at) < Self.promptly)
        let thawed = SystemClock().monotonicNanoseconds
        gpsd.thaw()
        let index = try #require(reader.received.firstIndex { $0.at == loss.at })
        let again = try #require(reader.firstPosition(from: index), "\(daemon.log)")
        #expect(seconds(thawed, again.at) < Self.promptly)
        #expect(try WaymarkClient(socketPath: daemon.socketPath).status().receiver.connections == 1)
    }

    @Test func `a cable that is pulled without a word from gpsd is noticed by the silence`() throws {
        let scene = try Scene("[Receiver]\nStaleAfter=1s\n")
        defer { scene.end() }
        let (receiver, daemon, reader) = (scene.receiver, scene.daemon, scene.reader)

        // A busy machine may delay its reports for so long before.
        let silences = try events(daemon, ["receiverStale"]).count
        let before = reader.received.count
        receiver.unplug()
        let pulled = SystemClock().monotonicNanoseconds
        let loss = try #require(reader.firstLoss("stale", from: before), "\(daemon.log)")
        #expect(seconds(pulled, loss.at) < Self.promptly)
        #expect(eventually { reader.received.last?.update.position == nil })
        // A receiver of one report a second has three of them until it counts as silent itself.
        #expect(try eventually { try events(daemon, ["receiverStale"]).count == silences + 1 })
    }

    /// A client that reads while a recording of 90 s is played three times as fast, and its daemon. The client is
    /// connected from the first position on. A busy machine may delay reports for some seconds: less than the five after
    /// which a receiver is stale, and less than what then remains of a part of ten seconds.
    private func withReader(
        of fixture: String, _ body: (DaemonProcess, UpdateReader) throws -> Void
    ) throws {
        let receiver = try FedTerminal(try Products.fixture(fixture), pace: .times(3))
        defer { receiver.unplug() }
        let gpsd = try RestartableGPSD([receiver.path])
        try gpsd.start()
        let daemon = try DaemonProcess(gpsd: gpsd.address, more: simulated)
        let reader = try UpdateReader(daemon.socketPath)
        defer { reader.stop() }
        receiver.begin()
        try body(daemon, reader)
    }

    @Test func `a receiver that falls silent is stale, and believed again when it speaks`() throws {
        // 30 s of positions, 30 s of nothing, 30 s of positions.
        try withReader(of: "silence.nmea") { daemon, reader in
            let start = try #require(reader.firstPosition()?.update.position, "\(daemon.log)").timestamp
            let loss = try #require(reader.firstLoss("stale"), "\(daemon.log)")
            let health = try WaymarkClient(socketPath: daemon.socketPath).status().health
            // A busy machine asks when the receiver already speaks again.
            if health != "stale" {
                let index = try #require(reader.received.firstIndex { $0.at == loss.at })
                #expect(reader.firstPosition(from: index) != nil, "\(health)")
            }
            // It may also delay reports for the time after which a receiver is stale: the silence is the gap of 30 s.
            let again = try #require(reader.first { ($0.position?.timestamp ?? 0) > start + 45 }, "\(daemon.log)")
            let index = try #require(reader.received.firstIndex { $0.at == again.at })
            let before = try #require(reader.received[..<index].lastIndex { $0.update.position != nil })
            let last = reader.received[before].update.position?.timestamp ?? 0
            #expect((again.update.position?.timestamp ?? 0) - last > 29)
            #expect(try #require(reader.firstLoss("stale", from: before)).at < again.at, "\(daemon.log)")
        }
    }

    @Test func `in a tunnel the position is lost, and it is known again at the end`() throws {
        // 30 s outside, 30 s within, where the receiver says that it has none, 30 s outside.
        try withReader(of: "tunnel.nmea") { daemon, reader in
            let first = try #require(reader.firstPosition(), "\(daemon.log)")
            let start = try #require(reader.received.firstIndex { $0.at == first.at })
            let loss = try #require(reader.firstLoss("noFix", from: start), "\(daemon.log)")
            let index = try #require(reader.received.firstIndex { $0.at == loss.at })
            _ = try #require(reader.firstPosition(from: index), "\(daemon.log)")
            let status = try WaymarkClient(socketPath: daemon.socketPath).status()
            #expect(status.health == "ok")
            #expect((status.rejected["noFix"] ?? 0) >= 20)
            #expect(
                try events(daemon, ["fixAcquired", "fixLost"]).map(\.kind) == ["fixAcquired", "fixLost", "fixAcquired"])
        }
    }

    @Test func `the connection to gpsd is closed after the last client`() throws {
        let receiver = try FedTerminal.tenHertz()
        defer { receiver.unplug() }
        let gpsd = try RestartableGPSD([receiver.path])
        try gpsd.start()
        receiver.begin()
        #expect(try eventually { try gpsd.connectionCount() == 0 })
        let daemon = try DaemonProcess(
            configuration: "[Receiver]\nReleaseAfter=200ms\n", gpsd: gpsd.address, more: simulated)
        let client = WaymarkClient(socketPath: daemon.socketPath)
        #expect(try client.status().receiver.state == .idle)
        #expect(try gpsd.connectionCount() == 0)

        let readers = try (1...2).map { _ in try UpdateReader(daemon.socketPath) }
        defer { for reader in readers { reader.stop() } }
        for reader in readers { _ = try #require(reader.firstPosition(), "\(daemon.log)") }
        #expect(try gpsd.connectionCount() == 1)
        readers[0].stop()
        // One client is left: the connection stays.
        let before = readers[1].received.count
        _ = try #require(readers[1].firstPosition(from: before + 5), "\(daemon.log)")
        readers[1].stop()
        #expect(try eventually { try client.status().receiver.state == .idle })
        #expect(try eventually { try gpsd.connectionCount() == 0 })
        #expect(try client.status().fix == nil)

        let next = try UpdateReader(daemon.socketPath)
        defer { next.stop() }
        _ = try #require(next.firstPosition(), "\(daemon.log)")
    }

    @Test func `of two receivers one is believed, and the other when that one goes`() throws {
        let directory = try TemporaryDirectory()
        // Of today, so that they count as live: then they share one time.
        let start = try #require(
            try CompletedProcess.run("/bin/date", ["-u", "+%Y-%m-%dT%H:%M:%SZ"]).output.split(separator: "\n").first)
        let recording = try Products.recording("ten-hertz", seconds: 120, ["--start", String(start)], in: directory)
        let receivers = try (1...2).map { _ in try FedTerminal(recording) }
        defer { for receiver in receivers { receiver.unplug() } }
        let gpsd = try RestartableGPSD(receivers.map(\.path))
        try gpsd.start()
        let daemon = try DaemonProcess(gpsd: gpsd.address)
        let client = WaymarkClient(socketPath: daemon.socketPath)
        let reader = try UpdateReader(daemon.socketPath)
        defer { reader.stop() }
        #expect(try eventually { try client.status().receiver.devices.count { $0.isActive } == 2 })
        for receiver in receivers { receiver.begin() }

        func count(of reason: String) throws -> Int64 {
            try client.status().rejected[reason] ?? 0
        }
        #expect(try eventually { try count(of: "otherReceiver") >= 10 }, "\(daemon.log)")
        let chosen = try #require(try client.status().fix?.receiver)
        #expect(receivers.map(\.path).contains(chosen))
        let before = reader.received.count
        _ = try #require(reader.firstPosition(from: before + 5))
        #expect(try client.status().fix?.receiver == chosen)

        try gpsd.remove(chosen)
        #expect(
            try eventually { try client.status().fix.map { $0.receiver != chosen } ?? false }, "\(daemon.log)")
        let after = reader.received.count
        _ = try #require(reader.firstPosition(from: after + 5))
        let times = reader.positions.map(\.timestamp)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "the stream is not in order")
        #expect(reader.positions.allSatisfy { !$0.isSimulated })
        #expect(!reader.wasNeglected)
    }

    @Test(arguments: [false, true])
    func `positions are marked as simulated if the daemon is configured so`(isSimulated: Bool) throws {
        let directory = try TemporaryDirectory()
        let start = try #require(
            try CompletedProcess.run("/bin/date", ["-u", "+%Y-%m-%dT%H:%M:%SZ"]).output.split(separator: "\n").first)
        let recording = try Products.recording("ten-hertz", seconds: 120, ["--start", String(start)], in: directory)
        let receiver = try PlayedReceiver(recording)
        defer { receiver.stop() }
        let daemon = try DaemonProcess(gpsd: receiver.address, more: isSimulated ? simulated : [])
        let position = try WaymarkClient(socketPath: daemon.socketPath).position()
        #expect(position.isSimulated == isSimulated)
    }
}
