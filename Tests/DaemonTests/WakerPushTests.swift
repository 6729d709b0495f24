import Platform
import TestSupport
import Testing

@testable import Daemon

/// When a push that changes the records of several apps is confirmed.
@Suite struct WakerPushTests {
    init() { LoopThread.start() }

    /// How often the completion ran.
    @DaemonActor private final class Completions {
        var count = 0
    }

    @Test @DaemonActor func `a push is complete when the last of its records is stored`() {
        let completions = Completions()
        let results = PushResults(count: 3) { completions.count += 1 }
        results.receive(isStored: true)
        results.receive(isStored: true)
        #expect(completions.count == 0)
        results.receive(isStored: true)
        #expect(completions.count == 1)
    }

    @Test @DaemonActor func `a push is complete once, with the first of its records that cannot be stored`() {
        let completions = Completions()
        let results = PushResults(count: 3) { completions.count += 1 }
        results.receive(isStored: true)
        results.receive(isStored: false)
        #expect(completions.count == 1)
        results.receive(isStored: true)
        #expect(completions.count == 1)
    }
}
