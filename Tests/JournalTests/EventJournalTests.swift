import Glibc
import Platform
import TestSupport
import Testing

@testable import Journal
@testable import Storage

@Suite(.timeLimit(.minutes(15))) struct EventJournalTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func `appended events are read back after the journal was closed and opened again`() async throws {
        let clock = ManualClock(utcSeconds: 1_800_000_000)
        let first = try Bench(directory.path, clock: clock, bootID: "boot-1")
        try await first.append(
            Event(
                .fixAcquired, app: "org.example.Maps", uid: 1000,
                details: ["device": "/dev/tty\"0\"", "count": 3, "age": 0.5, "simulated": true]))
        try await first.close()

        let second = try Bench(directory.path, clock: clock, bootID: "boot-2")
        try await second.append(Event(.serviceStarted))
        let events = try await second.read().events
        #expect(events.map(\.sequence) == [1, 2])
        #expect(events.map(\.bootID) == ["boot-1", "boot-2"])
        #expect(events[0].eventKind == .fixAcquired)
        #expect(events[0].app == "org.example.Maps")
        #expect(events[0].uid == 1000)
        #expect(events[0].timeMicroseconds == clock.utcMicroseconds)
        #expect(events[0].monotonicNanoseconds == clock.monotonicNanoseconds)
        #expect(events[0].details == #"{"device":"/dev/tty\"0\"","count":3,"age":0.5,"simulated":true}"#)
        #expect(events[1].app == nil)
        #expect(events[1].uid == nil)
        try await second.close()
    }

    @Test func `only the owner can read the directory and the files in it`() async throws {
        let bench = try Bench("\(directory.path)/state")
        try await bench.append(.remark(1))
        var status = stat()
        #expect(stat("\(directory.path)/state", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        for name in directory.names("/state") {
            #expect(stat("\(directory.path)/state/\(name)", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
        #expect(directory.names("/state") == ["journal.db", "journal.db-shm", "journal.db-wal", "journal.lock"])
        try await bench.close()
        #expect(directory.names("/state") == ["journal.db", "journal.lock"])
        for name in directory.names("/state") { unlink("\(directory.path)/state/\(name)") }
        rmdir("\(directory.path)/state")
    }

    @Test func `many events without completions share few transactions`() async throws {
        var options = JournalOptions()
        // A shorter one may pass several times until all events are appended.
        options.commitInterval = .seconds(3_600)
        let bench = try Bench(directory.path, options: options)
        _ = await bench.state { $0 == .running }
        for number in 1...2_000 { bench.journal.append(.remark(number)) }
        let page = try await bench.read()
        #expect(page.newest == 2_000)
        let statistics = try await bench.statistics()
        #expect(statistics.events == 2_000)
        #expect(statistics.transactions <= 3)
        #expect(statistics.dropped == 0)
        try await bench.close()
    }

    @Test func `awaited events appended together share transactions`() async throws {
        let bench = try Bench(directory.path)
        let sequences = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 1...200 { group.addTask { try await bench.append(.remark(number)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sequences.sorted() == Array(1...200))
        #expect(try await bench.statistics().transactions < 200)
        try await bench.close()
    }

    @Test func `an event that is not urgent is committed automatically after the interval`() async throws {
        var options = JournalOptions()
        options.commitInterval = .milliseconds(20)
        let bench = try Bench(directory.path, options: options)
        bench.journal.append(.remark(1))
        let events = await bench.events { _ in true }
        #expect(events.count == 1)
        try await bench.close()
    }

    @Test func `with a follower no event waits for the interval`() async throws {
        var options = JournalOptions()
        options.commitInterval = .seconds(3_600)
        let bench = try Bench(directory.path, options: options)
        _ = await bench.state { $0 == .running }
        bench.journal.append(.remark(1))
        bench.journal.setFollowed(true)
        #expect(await bench.events { _ in true }.map(\.sequence) == [1])
        bench.journal.append(.remark(2))
        #expect(await bench.events { _ in true }.map(\.sequence) == [2])
        try await bench.close()
    }

    @Test func `events of several appenders remain in order and followers see every event once in sequence`()
        async throws
    {
        let bench = try Bench(directory.path)
        await withTaskGroup(of: Void.self) { group in
            for appender in 0..<4 {
                group.addTask {
                    for number in 0..<250 {
                        bench.journal.append(
                            Event(.note, uid: UInt32(appender), details: ["number": .integer(Int64(number))]),
                            urgency: number % 50 == 0 ? .now : .interval)
                    }
                }
            }
        }
        try await bench.append(Event(.serviceStopped))
        let events = await bench.events { $0.eventKind == .serviceStopped }
        #expect(events.map(\.sequence) == Array(1...1_001))
        for appender in 0..<4 {
            let own = events.filter { $0.uid == UInt32(appender) && $0.eventKind == .note }
            #expect(own.map(\.details) == (0..<250).map { "{\"number\":\($0)}" })
        }
        let times = events.map(\.monotonicNanoseconds)
        #expect(times == times.sorted())
        try await bench.close()
    }

    @Test func `a second daemon on one state directory is refused by name and the first continues`() async throws {
        let first = try Bench(directory.path)
        try await first.append(.remark(1))
        let second = try Bench(directory.path)
        let state = await second.state { $0 != .opening }
        guard case .failed(let error) = state else {
            Issue.record("\(String(describing: state))")
            return
        }
        #expect(error.reason == .inUse)
        #expect(error.description.contains(directory.path))
        await #expect(throws: error) { try await second.append(.remark(2)) }
        await #expect(throws: error) { try await second.read() }
        #expect(try await first.append(.remark(3)) == 2)
        try await first.close()
        let third = try Bench(directory.path)
        #expect(try await third.append(.remark(4)) == 3)
        try await third.close()
    }

    @Test func `after close every call fails with an error`() async throws {
        let bench = try Bench(directory.path)
        bench.journal.append(.remark(1))
        try await bench.close()
        await #expect(throws: StorageError.self) { try await bench.append(.remark(2)) }
        await #expect(throws: StorageError.self) { try await bench.read() }
        await #expect(throws: StorageError.self) { try await bench.close() }
        let again = try Bench(directory.path)
        #expect(try await again.read().newest == 1)
        try await again.close()
    }

    @Test func `a journal that is closed while commits are requested can be opened again at once`() async throws {
        var expected: Int64 = 0
        for _ in 1...40 {
            let bench = try Bench(directory.path)
            for number in 1...20 {
                bench.journal.append(.remark(number), urgency: .now)
                if number % 5 == 0 { sched_yield() }
            }
            try await bench.close()
            expected += 20
        }
        let last = try Bench(directory.path)
        #expect(try await last.read().newest == expected)
        try await last.close()
    }

    @Test func `a journal that is released without close writes its queue`() async throws {
        do {
            let bench = try Bench(directory.path)
            _ = await bench.state { $0 == .running }
            bench.journal.append(.remark(1))
        }
        var last: JournalState?
        // The earlier journal's thread releases the directory asynchronously.
        let isOpened = try await eventually { () async throws -> Bool in
            let bench = try Bench(directory.path)
            last = await bench.state { $0 != .opening }
            guard last == .running else { return false }
            #expect(try await bench.read().newest == 1)
            try await bench.close()
            return true
        }
        #expect(isOpened, "\(String(describing: last))")
    }

    @Test func `an event over the size limit is refused and other events are unaffected`() async throws {
        let bench = try Bench(directory.path)
        let large = Event(.note, details: ["text": .text(String(repeating: "x", count: 20_000))])
        await #expect(throws: StorageError.self) { try await bench.append(large) }
        #expect(try await bench.append(.remark(1)) == 1)
        try await bench.close()
    }
}
