import Glibc
import Platform
import Testing
import TestSupport
import TestTraits

@testable import Replay

@Suite(.waits) struct FeederTests {
    private let second: UInt64 = 1_000_000_000

    /// Everything that waits at the far end, up to so many bytes.
    private func receive(_ descriptor: Int32, atMost count: Int) throws -> [UInt8] {
        guard try PollDeadline(seconds: 0.001).poll(descriptor, for: POLLIN) else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let taken = read(descriptor, &bytes, count)
        return Array(bytes.prefix(max(0, taken)))
    }

    @Test func `every byte arrives once and in order at a reader that lags`() throws {
        var generator = SeededGenerator()
        // Of many lengths, so that the terminal's room ends in the middle of one.
        let lines = (0..<4_000).map { number in
            "$LINE,\(number),\(String(repeating: "x", count: Int.random(in: 0...80, using: &generator)))\r\n"
        }
        let recording = RecordingFile(bytes: Array(lines.joined().utf8))
        let feeder = Feeder(recording, pace: .unlimited)
        let terminal = try PseudoTerminal()
        let path = terminal.path
        let reader = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC) }

        let clock = SystemClock()
        let deadline = PollDeadline(seconds: 120)
        var received: [UInt8] = []
        var wait = Feeder.Wait.writable
        while wait != .finished, !deadline.hasPassed {
            wait = try feeder.step(now: clock.monotonicNanoseconds, into: terminal)
            received += try receive(reader.number, atMost: Int.random(in: 1...900, using: &generator))
        }
        while received.count < recording.bytes.count, !deadline.hasPassed {
            received += try receive(reader.number, atMost: 4_096)
        }
        // As a Bool: the difference of two long arrays would take minutes to find and pages to print.
        let isSame = received == recording.bytes
        #expect(isSame, "\(received.count) of \(recording.bytes.count) bytes, \(generator)")
        #expect(wait == .finished)
    }

    @Test func `sentences wait for their time and the feeder says until when`() throws {
        let lines = ["$GPRMC,120000,A*00\r\n", "$GPRMC,120002,A*00\r\n"]
        let feeder = Feeder(RecordingFile(bytes: Array(lines.joined().utf8)), pace: .times(2))
        let terminal = try PseudoTerminal()
        let path = terminal.path
        let reader = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC) }

        #expect(try feeder.step(now: second, into: terminal) == .until(2 * second))
        #expect(feeder.progress == Feeder.Progress(sentence: 1, sentences: 2, passes: 0))
        #expect(try PollDeadline(seconds: 10).poll(reader.number, for: POLLIN))
        #expect(try receive(reader.number, atMost: 1_000) == Array(lines[0].utf8))

        guard case .until = try feeder.step(now: 2 * second, into: terminal) else {
            Issue.record("finished before the last bytes were read")
            return
        }
        #expect(feeder.progress == Feeder.Progress(sentence: 2, sentences: 2, passes: 1))
        #expect(try PollDeadline(seconds: 10).poll(reader.number, for: POLLIN))
        let stillUnread = try feeder.step(now: 3 * second, into: terminal)
        #expect(stillUnread != .finished)
        #expect(try receive(reader.number, atMost: 1_000) == Array(lines[1].utf8))
        #expect(try feeder.step(now: 4 * second, into: terminal) == .finished)
    }

    @Test func `what the reader writes back does not stop the recording`() throws {
        let terminal = try PseudoTerminal()
        let path = terminal.path
        let reader = try OwnedDescriptor("open", subject: path) {
            open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        }
        let probe = [UInt8](repeating: 0xb5, count: 1_000)
        for _ in 0..<100 {
            _ = write(reader.number, probe, probe.count)
            #expect(try terminal.write([1, 2, 3]) == 3)
            #expect(try PollDeadline(seconds: 10).poll(reader.number, for: POLLIN))
            #expect(try receive(reader.number, atMost: 3) == [1, 2, 3])
        }
        // The last answers may not have arrived yet; all earlier ones were read, otherwise the reader could not write.
        #expect(write(reader.number, probe, probe.count) > 0)
    }
}
