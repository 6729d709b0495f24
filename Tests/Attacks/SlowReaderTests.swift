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
        #expect(reader.dropped == 0 && reader.ending == nil, "another client does not notice")
        stopped.signal(SIGCONT)

        // The received positions are in order, the missed ones are counted, and both together are all.
        var update = try lines.next(seconds: 60)
        var (first, read, missed) = (update?.timestamp, 0, 0)
        while let next = update {
            if first == nil { first = next.timestamp }
            read += 1
            missed += read == 1 ? 0 : next.dropped
            if missed >= 50 { break }
            update = try lines.next(seconds: 60)
        }
        let last = try #require(update?.timestamp, "the client did not get the number of missed positions")
        #expect(missed >= 50)
        #expect(eventually { (reader.positions.last?.timestamp ?? 0) >= last })
        let all = reader.positions.map(\.timestamp)
        let from = try #require(all.firstIndex { abs($0 - (first ?? 0)) < 0.01 })
        let to = try #require(all.firstIndex { abs($0 - last) < 0.01 })
        #expect(read + missed == to - from + 1)
        #expect(reader.dropped == 0)
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
