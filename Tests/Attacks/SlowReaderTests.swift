import Glibc
import Interfaces
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// A client that is stopped in the middle of its stream and continues later.
@Suite(.waits) struct SlowReaderTests {
    @Test func `a client that was stopped gets the newest position and the number of those it missed`() throws {
        let directory = try TemporaryDirectory()
        // Fast enough to fill a client's kernel buffer soon, but not so fast that the same happens to the other
        // client, too, when a busy machine stops that for a short time.
        let receiver = try PlayedReceiver.tenHertz(pace: .times(3))
        defer { receiver.stop() }
        let daemon = try DaemonProcess(in: directory, gpsd: receiver.address, logLevel: "info")
        let reader = try UpdateReader(daemon.socketPath)
        defer { reader.stop() }
        let stopped = try ChildProcess(
            ChildProcess.Launch(
                "/usr/bin/python3",
                ["-u", try Products.file("Tests/Integration/Foreign/listen.py"), daemon.socketPath], output: .pipe))
        defer { stopped.signal(SIGKILL) }
        var lines = LinesOf(stopped.outputPipe)
        #expect(try lines.next(seconds: 60) != nil, "\(daemon.log)")

        stopped.signal(SIGSTOP)
        let status = try Client(path: daemon.socketPath, timeout: .seconds(60))
        func dropped() throws -> Int64 {
            try status.call(ManageInterface.Status(), timeout: .seconds(60)).status.clients.dropped
        }
        #expect(try eventually(within: 60) { try dropped() >= 50 }, "nothing is left out for a client that is stopped")
        #expect(!reader.wasNeglected && reader.ending == nil, "another client does not notice")
        stopped.signal(SIGCONT)

        // The received positions are in order, the missed ones are counted, and both together are all.
        // From and to a position that the other client has not missed itself, where the machine did not run it.
        var (read, missed) = (0, 0)
        var (first, last): (Int?, Int?) = (nil, nil)
        while last == nil, let next = try lines.next(seconds: 60) {
            let number = number(of: next.timestamp, for: reader)
            if first == nil {
                guard let number else { continue }
                first = number
            } else {
                missed += next.dropped
            }
            read += 1
            if missed >= 50 { last = number }
        }
        let from = try #require(first)
        let to = try #require(last, "the client did not get the number of missed positions")
        #expect(read + missed == to - from + 1)
        #expect(!reader.wasNeglected)
    }

    /// The number of a position among all that a client has read or missed; nil where it has missed this one.
    private func number(of timestamp: Double, for reader: UpdateReader) -> Int? {
        _ = eventually { (reader.positions.last?.timestamp ?? 0) > timestamp - 0.01 }
        var number = 0
        for update in reader.received.map(\.update) {
            number += Int(update.dropped)
            guard let position = update.position else { continue }
            number += 1
            if abs(position.timestamp - timestamp) < 0.01 { return number }
        }
        return nil
    }

    /// The lines that `listen.py` prints: a position's time, and how many were left out before it.
    private struct LinesOf {
        private let pipe: Int32
        private var bytes: [UInt8] = []

        init(_ pipe: Int32) {
            self.pipe = pipe
        }

        mutating func next(seconds: Double) throws -> (timestamp: Double, dropped: Int)? {
            let deadline = PollDeadline(seconds: seconds)
            while true {
                if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                    let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
                    bytes.removeFirst(end + 1)
                    guard words.count == 2, let time = Double(words[0]), let dropped = Int(words[1]) else { return nil }
                    return (time, dropped)
                }
                guard try deadline.poll(pipe, for: POLLIN) else { return nil }
                var buffer = [UInt8](repeating: 0, count: 4_096)
                let count = Glibc.read(pipe, &buffer, buffer.count)
                if count == 0 { return nil }
                if count > 0 { bytes += buffer[..<count] }
            }
        }
    }
}
