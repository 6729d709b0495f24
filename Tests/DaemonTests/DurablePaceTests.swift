import Accounts
import Platform
import TestSupport
import Testing

@testable import Daemon

/// The budget of calls that write to the disk.
@Suite struct DurablePaceTests {
    init() { LoopThread.start() }

    @DaemonActor private func pace(_ clock: any TimeSource) throws -> DurablePace {
        try DurablePace(accounts: UserAccounts { _ in .absent }, clock: clock)
    }

    @Test @DaemonActor func `calls beyond the limit begin later, each once and in their order`() async throws {
        let clock = ManualClock.beginningNow()
        let pace = try pace(clock)
        var begun: [Int] = []
        let count = DurablePace.most + 50
        for number in 0..<count { pace.begin(for: 77_777) { begun.append(number) } }
        #expect(begun.count == DurablePace.most && pace.waitingCount == 50)
        for part in 1...2 {
            clock.advance(microseconds: 250_000)
            #expect(try await eventually { () async throws -> Bool in begun.count == DurablePace.most + 25 * part })
        }
        #expect(begun == Array(0..<count))
        #expect(pace.waitingCount == 0)
    }

    @Test @DaemonActor func `a user's calls delay no other account's, and root has no limit`() throws {
        let pace = try pace(ManualClock.beginningNow())
        for _ in 0..<DurablePace.most + 100 { pace.begin(for: 77_777) {} }
        #expect(pace.waitingCount == 100)
        var others = 0
        for _ in 0..<2 * DurablePace.most { pace.begin(for: 0) { others += 1 } }
        #expect(others == 2 * DurablePace.most)
        #expect(pace.waitingCount == 100)
    }

    @Test @DaemonActor func `calls without a reply are dropped where too many of them wait`() throws {
        let pace = try pace(ManualClock.beginningNow())
        for _ in 0..<DurablePace.most + 3 * DurablePace.mostWithoutReply {
            pace.begin(for: 77_777, hasReply: false) {}
        }
        #expect(pace.waitingCount == DurablePace.mostWithoutReply)
        pace.begin(for: 77_777) {}
        #expect(pace.waitingCount == DurablePace.mostWithoutReply + 1)
    }

    @Test @DaemonActor func `large calls without a reply are dropped where those that wait cost too much`() throws {
        let pace = try pace(ManualClock.beginningNow())
        for _ in 0..<DurablePace.most + 100 { pace.begin(for: 77_777, hasReply: false, cost: 1_024) {} }
        #expect(pace.waitingCount == 1, "one of this size has room, and the others are dropped")
        pace.begin(for: 77_777, hasReply: false) {}
        #expect(pace.waitingCount == 1, "there is no room for a small one either")
        for _ in 0..<10 { pace.begin(for: 77_777, cost: 1_024) {} }
        #expect(pace.waitingCount == 11, "the number of connections limits calls with a reply")
    }

    @Test @DaemonActor func `what a call without a reply costs is free again once it has begun`() async throws {
        let pace = try pace(SystemClock())
        var begun = 0
        for _ in 0..<DurablePace.most + 10 { pace.begin(for: 77_777, hasReply: false, cost: 1_024) { begun += 1 } }
        #expect(try await eventually { () async throws -> Bool in pace.waitingCount == 0 })
        let before = begun
        // The next one begins at once or waits, and is dropped in neither case.
        pace.begin(for: 77_777, hasReply: false, cost: 1_024) { begun += 1 }
        #expect(try await eventually { () async throws -> Bool in begun == before + 1 })
    }
}
