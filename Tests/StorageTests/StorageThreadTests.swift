import Platform
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(15))) struct StorageThreadTests {
    actor Confined {
        nonisolated let thread: StorageThread
        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
        var numbers: [Int] = []
        init(_ thread: StorageThread) { self.thread = thread }
        func add(_ number: Int) { numbers.append(number) }
    }

    @Test func `an actor on the thread is entered from tasks and from submitted work`() async throws {
        let thread = try StorageThread(capacity: 16)
        let confined = Confined(thread)
        await confined.add(1)
        await withCheckedContinuation { continuation in
            #expect(
                thread.submit {
                    confined.assumeIsolated { $0.add(2) }
                    continuation.resume()
                })
        }
        await confined.add(3)
        #expect(await confined.numbers == [1, 2, 3])
        thread.stop()
    }

    @Test func `a full mailbox refuses work that need not run`() async throws {
        let thread = try StorageThread(capacity: 2)
        let ran = Mutex<[Int]>([])
        // The thread does not remove anything from its mailbox while this gate is closed.
        let gate = Mutex(false)
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        #expect(
            thread.submit {
                arrival.finish()
                _ = eventually { gate.withLock { $0 } }
            })
        for await _ in arrivals {}
        let accepted = (1...5).map { number in thread.submit { ran.withLock { $0.append(number) } } }
        #expect(accepted == [true, true, false, false, false])
        gate.withLock { $0 = true }
        await withCheckedContinuation { continuation in
            #expect(thread.submit(mustRun: true) { continuation.resume() })
        }
        #expect(ran.withLock { $0 } == [1, 2])
        thread.stop()
        #expect(!thread.submit {})
    }

    @Test func `scheduled work runs once at the earliest requested time`() async throws {
        let thread = try StorageThread(capacity: 16)
        let (times, time) = AsyncStream<String>.makeStream()
        thread.schedule(after: .seconds(3_600)) { time.yield("late") }
        thread.schedule(after: .milliseconds(10)) { time.yield("early") }
        thread.schedule(after: .seconds(60)) { time.yield("later") }
        for await name in times {
            #expect(name == "early")
            break
        }
        thread.schedule(after: .seconds(3_600)) { time.yield("cancelled") }
        thread.cancelSchedule()
        thread.schedule(after: .zero) { time.yield("last") }
        for await name in times {
            #expect(name == "last")
            break
        }
        thread.stop()
    }
}
