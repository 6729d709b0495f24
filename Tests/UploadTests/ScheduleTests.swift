import Glibc
import TestSupport
import TestTraits
import Testing

@testable import Upload

/// The uploader in a simulated world in which every kind of failure occurs.
@Suite(.computes) struct ScheduleTests {
    @Test
    func `whatever fails, every position is acknowledged, a dead letter or waiting, and none waits for ever`() {
        var random = SeededGenerator()
        let only = Self.number("WAYMARK_UPLOAD_SCHEDULE")
        let count = only == nil ? Self.number("WAYMARK_UPLOAD_SCHEDULES") ?? 300 : 1
        var states: Set<String> = []
        var failed = 0
        for _ in 0..<count where failed < 5 {
            let seed = only ?? random.next()
            var world = SimulatedWorld(seed: seed)
            world.run()
            if let violation = world.violations.first {
                failed += 1
                Issue.record("schedule \(seed): \(violation)")
            }
            states.formUnion(world.states)
        }
        if only != nil { return }
        // The simulation is thorough enough that every state has occurred.
        let expected: Set = ["idle", "waitingForRecording", "waitingForPath", "deferred", "sending", "backingOff"]
        #expect(states.isSuperset(of: expected.union(["blocked", "paused"])))
    }

    private static func number(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }
}
