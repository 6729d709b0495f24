import CLinux
import Glibc
import Platform
import Synchronization
import TestSupport
import TestTraits
import Testing

@Suite(.waits) struct ProcessorShareTests {
    /// What a thread that was given this nice value is scheduled like after it has asked for short turns.
    private func shortened(nice: Int32) throws -> waymark_scheduling {
        let seen = Mutex<waymark_scheduling?>(nil)
        try DetachedThread.start(name: "turns") {
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice)
            ProcessorShare.shorten()
            var scheduling = waymark_scheduling()
            _ = waymark_get_scheduling(&scheduling)
            seen.withLock { $0 = scheduling }
        }
        #expect(eventually(within: 60) { seen.withLock { $0 } != nil })
        return try #require(seen.withLock { $0 })
    }

    @Test func `a thread has the shortest turns and hands down none of it`() throws {
        let scheduling = try shortened(nice: 5)
        // An older kernel knows of no length.
        #expect(scheduling.runtime == 100_000 || scheduling.runtime == 0)
        #expect(scheduling.flags == 1)
        #expect(scheduling.policy == UInt32(SCHED_OTHER))
        #expect(scheduling.nice == 5)
    }

    @Test(.enabled(if: geteuid() == 0)) func `a negative nice value is inherited with the time slices`() throws {
        let scheduling = try shortened(nice: -1)
        #expect(scheduling.flags == 0)
        #expect(scheduling.nice == -1)
    }
}
