import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Platform

@Suite(.serialized) struct EventLoopTests {
    init() { LoopThread.start() }

    @Test @DaemonActor func `a function of the daemon actor runs on the loop's thread`() {
        #expect(EventLoop.main.isIsolatingCurrentContext() == true)
        DaemonActor.assumeIsolated {}
    }

    @Test func `other threads are not the loop's`() {
        #expect(EventLoop.main.isIsolatingCurrentContext() == false)
    }

    @Test @DaemonActor func `operations posted run in the order of the calls`() async {
        var order: [Int] = []
        await withCheckedContinuation { continuation in
            for number in 0..<1_000 {
                DaemonActor.post {
                    order.append(number)
                    if number == 999 { continuation.resume() }
                }
            }
        }
        #expect(order == Array(0..<1_000))
    }

    @Test @DaemonActor func `a timer goes off once, not before its instant`() async throws {
        let clock = SystemClock()
        let due = clock.monotonicNanoseconds + 5_000_000
        var count = 0
        var timer: TimerSource?
        await withCheckedContinuation { continuation in
            do {
                timer = try TimerSource(accuracy: .microseconds(1)) {
                    count += 1
                    continuation.resume()
                }
                timer?.arm(at: due)
            } catch {
                Issue.record(error)
                continuation.resume()
            }
        }
        #expect(clock.monotonicNanoseconds >= due)
        #expect(count == 1)
        #expect(timer?.isArmed == false)
    }

    @Test @DaemonActor func `a timer that is disarmed does not go off before one that was armed for later`()
        async throws
    {
        var disarmedWentOff = false
        let disarmed = try TimerSource(accuracy: .microseconds(1)) { disarmedWentOff = true }
        disarmed.arm(after: .milliseconds(1))
        disarmed.disarm()
        try await elapsed(.milliseconds(10))
        #expect(!disarmedWentOff)
    }

    @Test @DaemonActor func `a timer armed for a past instant goes off at once`() async throws {
        try await elapsed(.zero)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    @DaemonActor func `a timer armed without a delay is programmed to go off at once, however inaccurate it is`(
        delay: Duration
    ) throws {
        let timer = try TimerSource(accuracy: .seconds(3_600)) {}
        timer.arm(after: delay)
        #expect(timer.programmedMicroseconds == 0)
        timer.arm(after: .nanoseconds(1))
        #expect(try #require(timer.programmedMicroseconds) > 0)
    }

    /// The handler is called, or the test ends by its deadline: nothing else wakes the loop for an hour.
    @Test(.timeLimit(.minutes(15)))
    @DaemonActor func `an inaccurate timer armed without a delay does not wait for its accuracy`() async throws {
        var timer: TimerSource?
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            do throws(SystemError) {
                timer = try TimerSource(accuracy: .seconds(3_600)) { continuation.resume() }
                timer?.arm(after: .zero)
            } catch {
                Issue.record(error)
                continuation.resume()
            }
        }
        #expect(timer?.isArmed == false)
    }

    @Test @DaemonActor func `a descriptor that becomes readable is reported with its bytes waiting`() async throws {
        let pipe = try Pipe()
        var received: [UInt8] = []
        var source: IOSource?
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do throws(SystemError) {
                source = try IOSource(pipe.reading.number, .readable) { _ in
                    var buffer = [UInt8](repeating: 0, count: 16)
                    let count = read(pipe.reading.number, &buffer, buffer.count)
                    received = Array(buffer.prefix(max(0, count)))
                    // Dropping the source in its own handler must be harmless.
                    source = nil
                    continuation.resume()
                }
                #expect(write(pipe.writing.number, "hello", 5) == 5)
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(received == Array("hello".utf8))
        #expect(source == nil)
    }

    @Test @DaemonActor func `a signal is taken on the loop`() async throws {
        var source: SignalSource?
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do throws(SystemError) {
                source = try SignalSource(SIGUSR2) {
                    source = nil
                    continuation.resume()
                }
                pthread_kill(pthread_self(), SIGUSR2)
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(source == nil)
    }

    // Work of the loop's own thread

    /// The loop would wait for the next event of another test otherwise, of which there may be none.
    @Test(.timeLimit(.minutes(15))) @DaemonActor
    func `work that an event adds is performed before the loop waits again`()
        async throws
    {
        var steps: [String] = []
        var timer: TimerSource?
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            do throws(SystemError) {
                timer = try TimerSource(accuracy: .microseconds(1)) {
                    DaemonActor.post {
                        steps.append("work")
                        DaemonActor.post {
                            steps.append("work of work")
                            continuation.resume()
                        }
                    }
                    steps.append("event")
                }
                timer?.arm(after: .zero)
            } catch {
                Issue.record(error)
                continuation.resume()
            }
        }
        #expect(steps == ["event", "work", "work of work"])
        #expect(timer?.isArmed == false)
    }

    /// Adds itself again until it is cancelled.
    @DaemonActor private final class EndlessWork {
        private(set) var runs = 0
        var isCancelled = false

        func run() {
            runs += 1
            DaemonActor.post { if !self.isCancelled { self.run() } }
        }
    }

    @Test(.timeLimit(.minutes(15))) @DaemonActor func `work that adds work without end does not hold up events`()
        async throws
    {
        let work = EndlessWork()
        work.run()
        try await elapsed(.milliseconds(2))
        work.isCancelled = true
        #expect(work.runs > 0)
    }

    @Test(.timeLimit(.minutes(15))) func `work of other threads wakes a loop that waits`() async throws {
        for _ in 0..<100 {
            await withCheckedContinuation { continuation in
                // The loop has probably nothing else to do by then.
                usleep(100)
                DaemonActor.post { continuation.resume() }
            }
        }
    }

    // Sources that another thread drops

    /// Keeps what a test drops on a thread of its choice.
    private final class Shelf: Sendable {
        private let sources = Mutex<[any Sendable]>([])

        func put(_ source: any Sendable) { sources.withLock { $0.append(source) } }
        func clear() { sources.withLock { $0 = [] } }
    }

    @Test func `sources that another thread drops while they fire do no harm`() async throws {
        let pipe = try Pipe()
        #expect(write(pipe.writing.number, "x", 1) == 1)
        let shelf = Shelf()
        let number = pipe.reading.number
        let fired = Atomic<Int>(0)
        for _ in 0..<200 {
            try await Self.fill(shelf, with: number) { fired.add(1, ordering: .relaxed) }
            shelf.clear()
        }
        // The loop works, and has let go of all of them.
        try await elapsed(.milliseconds(1))
        let before = fired.load(ordering: .relaxed)
        try await elapsed(.milliseconds(5))
        #expect(fired.load(ordering: .relaxed) == before)
    }

    @DaemonActor private static func fill(
        _ shelf: Shelf, with descriptor: Int32, _ count: @escaping @Sendable () -> Void
    ) throws {
        for _ in 0..<20 {
            // An epoll takes a descriptor once.
            let copy = try OwnedDescriptor("dup") { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
            let timer = try TimerSource(accuracy: .microseconds(1)) { count() }
            timer.arm(after: .zero)
            shelf.put(timer)
            shelf.put(try FiringSource(copy) { count() })
        }
    }

    /// A source that is ready all the time, and its descriptor.
    @DaemonActor private final class FiringSource {
        private let descriptor: OwnedDescriptor
        private var source: IOSource?

        init(_ descriptor: consuming OwnedDescriptor, _ handler: @escaping @Sendable () -> Void) throws(SystemError) {
            let number = descriptor.number
            self.descriptor = descriptor
            source = try IOSource(number, .readable) { _ in handler() }
        }

        isolated deinit { source?.cancel() }
    }
}
