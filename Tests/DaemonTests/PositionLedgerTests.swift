import Authorization
import Platform
import TestSupport
import Testing

@testable import Daemon
@testable import Journal

/// The record of how many positions each client received, where the journal refuses it.
@Suite(.timeLimit(.minutes(15))) struct PositionLedgerTests {
    private static let app = AppID(uid: 1_000, name: "trailmap")

    private let directory: TemporaryDirectory

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
    }

    @DaemonActor private func parts() async throws -> ClientParts {
        let parts = try ClientParts(directory, clock: ManualClock())
        #expect(try await eventually(isolation: #isolation) { parts.journal.status.state == .running })
        return parts
    }

    @DaemonActor private func count(_ positions: Int, _ parts: ClientParts) {
        for _ in 0..<positions { parts.ledger.count(.full, recordedFor: Self.app, isInUse: true) }
    }

    /// The details of the counts in the journal.
    @DaemonActor private func recorded(_ parts: ClientParts) async throws -> [String] {
        var query = EventQuery()
        query.kinds = ["positionsSeen"]
        let page = try await withCheckedContinuation { continuation in
            parts.journal.journal.read(query) { continuation.resume(returning: $0) }
        }.get()
        return page.events.map(\.details)
    }

    @DaemonActor private func close(_ parts: ClientParts) async {
        await withCheckedContinuation { continuation in parts.journal.close { continuation.resume() } }
    }

    @Test @DaemonActor
    func `counts that the journal has refused are written with the next ones`() async throws {
        let parts = try await parts()
        count(3, parts)
        try await parts.journal.journal.whileOverloaded { parts.ledger.write() }
        #expect(try await recorded(parts) == [])
        count(2, parts)
        parts.ledger.write()
        let details = try await recorded(parts)
        #expect(details.count == 2 && details[0].contains(#""fullInUse":3"#) && details[1].contains(#""fullInUse":2"#))
        parts.ledger.write()
        #expect(try await recorded(parts).count == 2, "each count is written once")
        await close(parts)
    }

    @Test @DaemonActor
    func `saved counts that the journal has refused at the start are written later`() async throws {
        let parts = try await parts()
        let saved = #"[{"app":"trailmap","uid":1000,"since":1780300800,"fullInUse":5}]"#
        try await parts.journal.journal.whileOverloaded { parts.ledger.restore(saved) }
        #expect(try await recorded(parts) == [])
        parts.ledger.write()
        #expect(try await recorded(parts).allSatisfy { $0.contains(#""fullInUse":5"#) })
        #expect(try await recorded(parts).count == 1)
        await close(parts)
    }
}
