import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite(.serialized) struct UrgentIOSourceTests {
    init() { LoopThread.start() }

    /// What was called, in order.
    @DaemonActor
    private final class Calls {
        var names: [String] = []

        func add(_ name: String) { names.append(name) }
    }

    private func fill(_ pipe: borrowing Pipe) { _ = write(pipe.writing.number, "x", 1) }

    @Test @DaemonActor func `what is urgent comes before what was there already`() async throws {
        let (pipe, other) = (try Pipe(), try Pipe())
        let calls = Calls()
        var usual: IOSource?
        usual = try IOSource(other.reading.number, .readable) { _ in
            usual?.interest = []
            calls.add("usual")
        }
        var urgent: UrgentIOSource?
        urgent = UrgentIOSource(pipe.reading.number, .readable) { events in
            #expect(events == .readable)
            urgent?.interest = []
            calls.add("urgent")
        }
        fill(other)
        fill(pipe)
        #expect(try await eventually { () async throws -> Bool in calls.names.count == 2 })
        #expect(calls.names == ["urgent", "usual"])
        urgent?.cancel()
        usual?.cancel()
        // Each is in its own handler.
        (urgent, usual) = (nil, nil)
    }

    @Test @DaemonActor func `timers go off and operations run while one waits`() async throws {
        let pipe = try Pipe()
        let urgent = UrgentIOSource(pipe.reading.number, .readable) { _ in Issue.record("nothing has come") }
        try await elapsed(.milliseconds(5))
        await withCheckedContinuation { continuation in DaemonActor.post { continuation.resume() } }
        urgent.cancel()
    }

    @Test @DaemonActor func `nothing is reported that is of no interest, and nothing after it was cancelled`()
        async throws
    {
        let pipe = try Pipe()
        let calls = Calls()
        let urgent = UrgentIOSource(pipe.reading.number, []) { _ in
            calls.add("urgent")
        }
        fill(pipe)
        try await elapsed(.milliseconds(5))
        #expect(calls.names.isEmpty)
        urgent.interest = .readable
        #expect(try await eventually { () async throws -> Bool in !calls.names.isEmpty })
        urgent.cancel()
        let before = calls.names.count
        try await elapsed(.milliseconds(5))
        #expect(calls.names.count == before)
    }

    @Test @DaemonActor func `one may be cancelled by the handler of another`() async throws {
        let (first, second) = (try Pipe(), try Pipe())
        let calls = Calls()
        var sources: [UrgentIOSource] = []
        let cancelAll = {
            for source in sources { source.cancel() }
            calls.add("first to come")
        }
        sources = [first.reading.number, second.reading.number].map { number in
            UrgentIOSource(number, .readable) { _ in cancelAll() }
        }
        fill(first)
        fill(second)
        #expect(try await eventually { () async throws -> Bool in !calls.names.isEmpty })
        #expect(calls.names == ["first to come"])
        sources = []
    }
}
