import Authorization
import Location
import Testing

@Suite struct GateCostTests {
    /// The cost of a decision in nanoseconds is printed, and compared only with its cost for another number of apps,
    /// because absolute figures depend on the machine.
    @Test func `a decision costs the same however many apps there are`() {
        let few = Self.nanosecondsPerDecision(apps: 10)
        let many = Self.nanosecondsPerDecision(apps: 10_000)
        print("a decision costs \(Int(few)) ns with 10 apps, \(Int(many)) ns with 10,000")
        // An iteration over the apps would cost a thousand times as much; caches alone explain a factor of a few.
        #expect(many < few * 20)
    }

    private static func nanosecondsPerDecision(apps count: Int) -> Double {
        let names = (0..<count).map { "app\($0)" }
        let manifest = PolicyScene.manifest()
        var grants: [AppID: Grant] = [:]
        for name in names { grants[AppID(uid: 1000, name: name)] = Grant(permission: .always) }
        var policy = Policy(
            restoring: grants,
            manifests: ManifestCatalogue(shared: Dictionary(uniqueKeysWithValues: names.map { ($0, manifest) })))
        let now = Instant(monotonicNanoseconds: 0, utc: UTCTime(microseconds: 0))
        _ = policy.start(at: now)
        for (index, name) in names.enumerated() {
            let app = AppID(uid: 1000, name: name)
            let process = Policy.Process(id: UInt64(index), app: app, assurance: .user, isInSession: true)
            _ = policy.handle(.attached(process), at: now)
        }
        // The same small set of processes each time, so that the decision is measured and not the memory.
        let processes = (0..<10).map { UInt64($0 * count / 10) }
        let rounds = 2_000
        var best = Double.infinity
        var allowed = 0
        for _ in 0..<5 {
            let elapsed = ContinuousClock().measure {
                for _ in 0..<rounds {
                    for process in processes where policy.decide(for: process, at: now).refusal == nil { allowed += 1 }
                }
            }
            best = min(best, Double(elapsed.components.attoseconds) / 1e9 + Double(elapsed.components.seconds) * 1e9)
        }
        #expect(allowed == 5 * rounds * processes.count)
        return best / Double(rounds * processes.count)
    }
}
