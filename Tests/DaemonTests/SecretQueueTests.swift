import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Daemon

/// The order in which secrets are tried.
@Suite struct SecretQueueTests {
    init() { LoopThread.start() }

    private final class Trace: Sendable {
        let state = Mutex((running: 0, most: 0, order: [Int]()))

        func run(_ number: Int) {
            state.withLock {
                $0.running += 1
                $0.most = max($0.most, $0.running)
                $0.order.append(number)
            }
            // Long enough for another thread to begin, if it could. Yielding the processor would take the longer the busier it is.
            usleep(1_000)
            state.withLock { $0.running -= 1 }
        }
    }

    @Test @DaemonActor func `one secret is tried at a time, in the order of the calls`() async throws {
        let queue = SecretQueue()
        let trace = Trace()
        for number in 0..<100 {
            #expect(
                queue.add {
                    trace.run(number)
                } orFail: { _ in
                })
        }
        #expect(
            try await eventually { () async throws -> Bool in trace.state.withLock { $0.order.count } == 100 })
        #expect(trace.state.withLock { $0.most } == 1)
        #expect(trace.state.withLock { $0.order } == Array(0..<100))
    }

    @Test @DaemonActor func `too many calls are refused, and the others are done`() async throws {
        let queue = SecretQueue()
        let trace = Trace()
        let accepted = (0..<1_000).count { number in
            queue.add {
                trace.state.withLock { $0.order.append(number) }
            } orFail: { _ in
            }
        }
        // One runs already.
        #expect(accepted == SecretQueue.most + 1)
        #expect(
            try await eventually { () async throws -> Bool in trace.state.withLock { $0.order.count } == accepted })
    }
}
