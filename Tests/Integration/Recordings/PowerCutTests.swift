import Glibc
import Interfaces
import JSONText
import Location
import Platform
import PowerCut
import Synchronization
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// The power is cut under load: afterwards the disk has the writes that the daemon had synchronized, and any part of
/// the rest that a disk might have stored. Nothing that was acknowledged to a client may be lost.
///
/// `WAYMARK_CUTS` is the number of cuts, `WAYMARK_CUT_SEED` the seed of the first; `Scripts/check-power-cut` runs
/// enough to meet rare interleavings.
@Suite(.waits, .serialized) struct PowerCutTests {
    private static func setting(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
    private static let cuts = setting("WAYMARK_CUTS") ?? 5
    private static let seed = setting("WAYMARK_CUT_SEED") ?? 1
    /// The number of cuts before a new disk is used.
    private static let cutsPerDisk = 20

    @Test(.enabled(if: PowerCutShim.compiler != nil, "there is no C compiler"), .timeLimit(.minutes(30)))
    func `nothing that was acknowledged is lost when the power is cut`() throws {
        var tally = PowerCutTally()
        var bench: PowerCutBench?
        for cut in 0..<Self.cuts {
            let seed = Self.seed + cut
            if cut % Self.cutsPerDisk == 0 {
                try bench?.end()
                bench = try PowerCutBench()
            }
            try bench?.cut(seed: UInt64(seed), &tally)
            guard tally.isSound else {
                Issue.record("seed \(seed): \(tally)")
                break
            }
        }
        try bench?.end()
        print("\(tally)")
    }

    @Test(.enabled(if: PowerCutShim.compiler != nil, "there is no C compiler"), .timeLimit(.minutes(30)))
    func `a denial is durable when the power is cut right after, and erases the recording`() throws {
        var tally = PowerCutTally()
        let bench = try PowerCutBench()
        for cut in 0..<max(2, Self.cuts / 4) where tally.isSound {
            try bench.cutAfterNo(seed: UInt64(Self.seed + cut), &tally)
        }
        #expect(tally.isSound, "\(tally)")
        try bench.end()
    }
}

/// The result.
struct PowerCutTally: CustomStringConvertible {
    var cuts: [CutStyle: Int] = [:]
    var unsynchronized = 0
    var notes = 0
    var decisions = 0
    var positions = 0
    var settlements = 0
    var findings: [String] = []

    var isSound: Bool { findings.isEmpty }

    var description: String {
        let styles = CutStyle.allCases.map { "\($0) \(cuts[$0] ?? 0)" }.joined(separator: ", ")
        return
            "\(cuts.values.reduce(0, +)) cuts (\(styles)) with \(unsynchronized) changes that were not synchronized: "
            + "\(notes) notes, \(decisions) decisions, \(settlements) cursors and dead letters acknowledged,"
            + " \(positions) positions read, "
            + (isSound ? "none lost" : findings.joined(separator: "; "))
    }
}

/// Allows an app everything and nothing alternately, as fast as it is acknowledged, on a thread of its own, until the
/// daemon has ended.
final class DecisionWriter: Sendable {
    /// The acknowledged decision.
    struct AuthorizationState {
        /// Whether the app is allowed, by the daemon's last reply; nil without a reply.
        var acknowledged: Bool?
        /// The last decision that was sent, whether or not it was acknowledged; nil for none.
        var asked: Bool?
        /// The number of replies.
        var count = 0
    }

    private let state: Mutex<(status: AuthorizationState, isOver: Bool)>

    init(_ socketPath: String, after status: AuthorizationState) throws {
        state = Mutex((status, false))
        try DetachedThread.start(name: "decision-writer") { [self] in
            // It ends with the daemon.
            do { try write(socketPath) } catch {}
            state.withLock { $0.isOver = true }
        }
    }

    var status: AuthorizationState { state.withLock { $0.status } }

    /// Whether it ends in time.
    func waitForEnd() -> Bool { eventually { state.withLock { $0.isOver } } }

    private func write(_ socketPath: String) throws {
        let client = try Client(path: socketPath, timeout: .seconds(60))
        var isAllowed = !(status.acknowledged ?? false)
        while true {
            var writer = JSONWriter()
            ManageInterface.Authorize(app: "trailmap", uid: 1_000, status: isAllowed ? .always : .deny).write(
                to: &writer)
            state.withLock { $0.status.asked = isAllowed }
            _ = try client.call(
                ManageInterface.Method.authorize.rawValue, try JSON.parse(writer.bytes), timeout: .seconds(60))
            state.withLock {
                $0.status.acknowledged = isAllowed
                $0.status.count += 1
            }
            isAllowed.toggle()
        }
    }
}
