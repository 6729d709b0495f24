import Glibc
import TestSupport
import TestTraits
import Testing

/// `WAYMARK_SYNC_OPERATIONS` makes a longer run, and `WAYMARK_SYNC_ENGINE`, the name of a case of `EngineKind`, one over this
/// engine only.
@Suite(.computes) struct ConvergenceTests {
    private static let engines: [EngineKind] = {
        let name = getenv("WAYMARK_SYNC_ENGINE").map { String(cString: $0) }
        return EngineKind.allCases.filter { name == nil || "\($0)" == name }
    }()

    private static func operations(on engine: EngineKind) -> Int {
        guard let text = getenv("WAYMARK_SYNC_OPERATIONS"), let count = Int(String(cString: text)) else {
            return engine == .memory ? 100_000 : 15_000
        }
        return count
    }

    @Test(arguments: engines)
    func `whatever is lost, repeated or fails, every client ends with what the reference has`(engine: EngineKind) throws
    {
        var random = SeededGenerator()
        let description = "\(random)"
        let most = Self.operations(on: engine)
        var total = 0
        var counts: [String: Int] = [:]
        let start = ContinuousClock.now
        while total < most {
            var simulation = try Simulation(SeededGenerator(seed: random.next()), on: engine)
            try simulation.run(min(25_000, most - total))
            if let difference = simulation.difference {
                Issue.record("\(description), after \(total + simulation.operations) operations: \(difference)")
                return
            }
            total += simulation.operations
            counts.merge(simulation.counts, uniquingKeysWith: +)
        }
        let seconds = (ContinuousClock.now - start).components.seconds
        let figures = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print("\(total) operations over \(engine) in \(seconds) s, \(description): \(figures)")
        for what in [
            "answers lost", "commits without an answer", "conflicts", "failures", "lists complete", "lists expired",
            "fetches of guests refused", "guests refused", "hub restarts", "invitations accepted", "pages lost",
            "pushes acknowledged",
            "repetitions", "requests about zones", "requests of guests", "saves", "tokens outdated",
            "tokens replaced", "unknown items", "zones complete", "zones not found", "zones withdrawn",
            "invitations to records accepted", "parts of zones complete", "records withdrawn",
            "requests of guests about parts", "shared records deleted",
        ] {
            #expect(counts[what, default: 0] >= (engine == .memory ? 5 : 1), "too few: \(what)")
        }
    }
}
