import Glibc
import Interfaces
import Location
import Platform
import Synchronization
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink
import Waymark

/// The daemon is killed with SIGKILL under load: nothing that it acknowledged may be lost.
///
/// `WAYMARK_KILLS` is the number of kills; `Scripts/check-kill` runs enough to meet rare interleavings. The data that
/// the kernel has survives a kill: the test shows that an acknowledgement follows the write, not the effect of a power
/// loss.
@Suite(.waits, .serialized) struct KillTests {
    private static let kills = getenv("WAYMARK_KILLS").flatMap { Int(String(cString: $0)) } ?? 10
    private static let writers = 3

    @Test(.timeLimit(.minutes(20)))
    func `no acknowledged note is lost when the daemon is killed under load`() throws {
        let receiver = try FedTerminal(try Products.fixture("ten-hertz.nmea"), pace: .times(5), loops: true)
        defer { receiver.unplug() }
        let gpsd = try RestartableGPSD([receiver.path])
        try gpsd.start()
        receiver.begin()
        let daemon = try DaemonProcess(gpsd: gpsd.address, logLevel: "warning", more: ["--simulated"])
        var random = SeededGenerator(seed: 1)
        var tally = Tally()
        for kill in 1...Self.kills {
            let watchers = try (0..<2).map { _ in try UpdateReader(daemon.socketPath) }
            let notes = try (1...Self.writers).map {
                try NoteWriter(daemon.socketPath, name: "kill \(kill) writer \($0)")
            }
            let goal = Int.random(in: 1...80, using: &random)
            let isWritten = eventually { notes.reduce(0) { $0 + $1.count } >= goal }
            #expect(isWritten, "\(notes.compactMap(\.ending)) \(daemon.log)")
            if kill % 5 == 0 { #expect(watchers.allSatisfy { $0.firstPosition() != nil }, "\(daemon.log)") }

            daemon.signal(SIGKILL)
            tally.kills = kill
            #expect(try daemon.wait() == .killed(signal: SIGKILL))
            for writer in notes { #expect(writer.waitForEnd()) }
            for watcher in watchers { watcher.stop() }
            tally.positions += watchers.reduce(0) { $0 + $1.positions.count }
            try daemon.restart()
            try check(daemon, notes.flatMap(\.acknowledged), &tally)
            guard tally.isSound else { break }
        }
        print("\(tally)")
        #expect(try daemon.stop() == .exited(0))
    }

    /// The result.
    private struct Tally: CustomStringConvertible {
        var kills = 0
        var acknowledged = 0
        var retained = 0
        var unacknowledged = 0
        var positions = 0
        var newest: Int64 = 0
        var isSound = true

        var description: String {
            "\(kills) kills: \(acknowledged) notes acknowledged, \(retained) of them stored; \(unacknowledged) more stored whose"
                + " reply was not sent; \(newest) events without a gap; \(positions) positions watched meanwhile"
        }
    }

    private func check(
        _ daemon: DaemonProcess, _ acknowledged: [NoteWriter.Acknowledged], _ tally: inout Tally
    ) throws {
        let client = try Client(path: daemon.socketPath, timeout: .seconds(60))
        let stored = try read(client, after: tally.newest)
        let sequences = stored.map(\.sequence)
        let expected = Array((tally.newest + 1)..<(tally.newest + 1 + Int64(stored.count)))
        #expect(sequences == expected, "the sequence has a gap")
        var notes: [Int64: String] = [:]
        for event in stored where event.kind == "note" {
            notes[event.sequence] = event.details["text"]?.stringValue
        }
        let lost = acknowledged.filter { notes[$0.sequence] != $0.text }
        #expect(lost.isEmpty, "acknowledged and not in the journal")
        let verification = try client.call(JournalInterface.Method.verify.rawValue, timeout: .seconds(60))[
            "verification"]
        let found = try #require(verification.flatMap(JournalInterface.Verification.init))
        #expect(found.isSound, "\(found.findings)")
        #expect(found.oldest == 1)
        tally.acknowledged += acknowledged.count
        tally.retained += acknowledged.count - lost.count
        tally.unacknowledged += notes.count - (acknowledged.count - lost.count)
        tally.newest = sequences.last ?? tally.newest
        tally.isSound = lost.isEmpty && found.isSound && sequences == expected
    }

    private func read(_ client: Client, after: Int64) throws -> [JournalEntry] {
        var entries: [JournalEntry] = []
        while true {
            let read = JournalInterface.Read(after: entries.last?.sequence ?? after)
            let reply = try client.call(read, timeout: .seconds(60))
            entries += reply.events
            if reply.isComplete { return entries }
        }
    }
}

/// Writes one note after another as fast as they are acknowledged, on a thread of its own, until the daemon has ended.
final class NoteWriter: Sendable {
    /// A note that the daemon acknowledged as durable.
    struct Acknowledged {
        let sequence: Int64
        let text: String
    }

    private let state = Mutex<(acknowledged: [Acknowledged], ending: String?)>(([], nil))

    init(_ socketPath: String, name: String) throws {
        try DetachedThread.start(name: "note-writer") { [self] in
            var ending = "no sequence in the reply"
            do throws(VarlinkError) { try write(socketPath, name) } catch { ending = "\(error)" }
            state.withLock { $0.ending = ending }
        }
    }

    /// The notes acknowledged so far.
    var acknowledged: [Acknowledged] { state.withLock { $0.acknowledged } }
    /// How many that are.
    var count: Int { state.withLock { $0.acknowledged.count } }
    /// Why it has ended; nil while it runs.
    var ending: String? { state.withLock { $0.ending } }

    /// Whether it ends in time.
    func waitForEnd() -> Bool { eventually { ending != nil } }

    private func write(_ socketPath: String, _ name: String) throws(VarlinkError) {
        let client = try Client(path: socketPath, timeout: .seconds(60))
        var number = 0
        while true {
            number += 1
            let text = "\(name) note \(number)"
            let reply = try client.call(
                JournalInterface.Method.note.rawValue, ["text": .string(text)], timeout: .seconds(60))
            guard let sequence = reply["sequence"]?.integerValue else { return }
            state.withLock { $0.acknowledged.append(Acknowledged(sequence: sequence, text: text)) }
        }
    }
}
