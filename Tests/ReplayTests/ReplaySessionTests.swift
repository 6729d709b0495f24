import Glibc
import Platform
import Testing
import TestSupport
import TestTraits

@testable import Replay

@Suite(.waits, .serialized) struct ReplaySessionTests {
    /// Fixes a second apart, each of a GGA, a GSA and an RMC sentence.
    private func drive(fixes: Int) -> RecordingFile {
        let sentences = (0..<fixes).flatMap { fix in
            let (minute, second) = (fix / 60, fix % 60)
            let time = "12\(minute < 10 ? "0" : "")\(minute)\(second < 10 ? "0" : "")\(second).00"
            return [
                "GPGGA,\(time),4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
                "GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1",
                "GPRMC,\(time),A,4807.038,N,01131.000,E,022.4,084.4,230324,,,A",
            ]
        }
        let text = sentences.map { sentence in
            let checksum = String(sentence.utf8.reduce(0, ^), radix: 16, uppercase: true)
            return "$\(sentence)*\(checksum.count < 2 ? "0" : "")\(checksum)\r\n"
        }
        return RecordingFile(bytes: Array(text.joined().utf8))
    }

    @Test func `gpsd reports what is replayed, and nothing is left after the stop`() throws {
        let session = try ReplaySession(drive(fixes: 5), pace: .times(20))
        let client = try LineClient(at: session.gpsd.place)
        try client.send("?WATCH={\"enable\":true,\"json\":true};")
        let deadline = PollDeadline(seconds: 120)
        #expect(try client.line(containing: "\"class\":\"WATCH\"", before: deadline) != nil)

        var last: Feeder.Progress?
        #expect(try session.run { last = $0 })
        #expect(last == Feeder.Progress(sentence: 15, sentences: 15, passes: 1))
        let report = try client.line(containing: "2024-03-23T12:00:04.000Z", before: deadline)
        #expect(report?.hasPrefix("{\"class\":\"TPV\",\"device\":\"\(session.device)\"") == true)

        let (pid, device) = (session.gpsd.processID, session.device)
        #expect(access(device, F_OK) == 0)
        try session.stop()
        #expect(!processExists(pid))
    }

    @Test func `the terminal goes with the session`() throws {
        // Held open, because its name may be reused for another terminal as soon as it is closed.
        var terminal = pollfd(fd: try descriptorAfterReplaying(), events: 0, revents: 0)
        defer { close(terminal.fd) }
        // What another test forks just then has the session's end of it until it is another program.
        #expect(poll(&terminal, 1, 20_000) == 1)
        #expect(terminal.revents & Int16(POLLHUP) != 0)
    }

    /// A descriptor of the terminal of a session that is over.
    private func descriptorAfterReplaying() throws -> Int32 {
        let session = try ReplaySession(drive(fixes: 1), pace: .unlimited)
        let descriptor = open(session.device, O_RDONLY | O_NOCTTY | O_CLOEXEC)
        try #require(descriptor >= 0)
        var alive = pollfd(fd: descriptor, events: 0, revents: 0)
        #expect(poll(&alive, 1, 0) == 0)
        return descriptor
    }

    @Test func `a long recording without a limit gets through a gpsd that reads it whole`() throws {
        let session = try ReplaySession(drive(fixes: 600), pace: .unlimited)
        let client = try LineClient(at: session.gpsd.place)
        try client.send("?WATCH={\"enable\":true,\"json\":true};")
        let deadline = PollDeadline(seconds: 120)
        #expect(try client.line(containing: "\"class\":\"WATCH\"", before: deadline) != nil)
        #expect(try session.run())
        #expect(try client.line(containing: "2024-03-23T12:09:59.000Z", before: deadline) != nil)
        try session.stop()
    }

    @Test func `a session that awaits a watcher begins with the watch and loses nothing`() throws {
        let session = try ReplaySession(drive(fixes: 3), pace: .unlimited, awaitsWatcher: true)
        for _ in 0..<5 {
            #expect(try session.step())
            var requests = session.descriptors
            #expect(poll(&requests, nfds_t(requests.count), session.timeoutMilliseconds) == 0)
        }
        #expect(session.feeder.progress.sentence == 0)

        let client = try LineClient(at: session.gpsd.place)
        try client.send("?WATCH={\"enable\":true,\"json\":true};")
        let begins = try eventually { try session.step() && session.feeder.progress.sentence > 0 }
        try #require(begins, "\(session.gpsd.lastOutput())")
        #expect(try session.run())
        let report = try client.line(containing: "\"class\":\"TPV\"", before: PollDeadline(seconds: 120))
        #expect(report?.contains("2024-03-23T12:00:00.000Z") == true || report?.contains("\"time\"") == false)
        try session.stop()
    }

    @Test func `another descriptor ends the run before the recording does`() throws {
        let session = try ReplaySession(drive(fixes: 5), pace: .times(0.001))
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { _ = close(end) } }
        #expect(write(ends[1], "x", 1) == 1)
        #expect(try !session.run(until: ends[0]))
        #expect(session.feeder.progress.sentence < 15)
        try session.stop()
    }

    @Test func `gpsd killed in the middle ends the replay with an error that says so`() throws {
        let session = try ReplaySession(drive(fixes: 5), pace: .times(0.001))
        #expect(try session.step())
        kill(session.gpsd.processID, SIGKILL)
        let error = #expect(throws: ReplayError.self) { try session.run() }
        guard case .gpsdEnded(let status, _) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(status == .killed(signal: SIGKILL))
    }

    @Test func `two sessions run side by side`() throws {
        let first = try ReplaySession(drive(fixes: 1), pace: .unlimited)
        let second = try ReplaySession(drive(fixes: 1), pace: .unlimited)
        #expect(first.gpsd.place != second.gpsd.place)
        #expect(first.device != second.device)
        try first.stop()
        #expect(try second.run())
        try second.stop()
    }

    @Test func `a device that is none is an error before the deadline`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("not-a-device", "x")
        #expect(throws: ReplayError.self) { try PrivateGPSD.start(device: path + "-missing", seconds: 2) }
    }
}
