import CLinux
import Glibc
import Interfaces
import Platform
import TestSupport
import Varlink

/// Many clients of one daemon at ten positions a second: whether all get all positions, and the processor time of a
/// delivery, compared with that of a line from gpsd to one of its own clients in the same run.
enum WatchersBenchmark {
    /// gpsd accepts about sixty clients at most.
    private static let gpsdClients = 50

    static func run(watchers: Int, seconds: Int) throws {
        ResourceLimits.raiseOpenFiles()
        let receiver = try LiveReceiver()
        let daemon = try DaemonProcess(
            gpsd: "127.0.0.1:\(receiver.gpsdPort)", logLevel: "warning", more: ["--simulated"])
        var readers: [Reader] = []
        for _ in 0..<watchers { readers.append(try Reader(toDaemon: daemon.socketPath)) }
        for _ in 0..<gpsdClients { readers.append(try Reader(toGPSD: receiver.gpsdPort)) }
        try receiver.start(seconds: seconds + 3)
        try readAll(&readers, until: SystemClock().monotonicNanoseconds + 3_000_000_000)
        let startedAt = SystemClock().monotonicNanoseconds
        let (before, gpsdBefore) = (try ProcessCost(of: daemon.processID), try ProcessCost(of: receiver.gpsdProcess))
        for index in readers.indices { readers[index].messages = 0 }
        while !receiver.hasEnded {
            try readAll(&readers, until: SystemClock().monotonicNanoseconds + 200_000_000)
        }
        try readAll(&readers, until: SystemClock().monotonicNanoseconds + 500_000_000)
        let elapsed = Double(SystemClock().monotonicNanoseconds - startedAt) / 1e9
        let (after, gpsdAfter) = (try ProcessCost(of: daemon.processID), try ProcessCost(of: receiver.gpsdProcess))

        let clients = readers.filter { !$0.readsGPSD }
        let (most, least) = (clients.map(\.messages).max() ?? 0, clients.map(\.messages).min() ?? 0)
        let deliveries = clients.reduce(0) { $0 + $1.messages }
        let lines = readers.filter(\.readsGPSD).reduce(0) { $0 + $1.messages }
        let cost = (after.processorSeconds - before.processorSeconds) * 1e6 / Double(max(1, deliveries))
        let gpsdCost = (gpsdAfter.processorSeconds - gpsdBefore.processorSeconds) * 1e6 / Double(max(1, lines))
        print("\(watchers) watchers at 10 Hz for \(Text.fixed(elapsed, 1)) s")
        print("  positions for each client      \(least) to \(most); dropped \(clients.reduce(0) { $0 + $1.dropped })")
        print(
            "  processor time of waymarkd     "
                + "\(Text.fixed((after.processorSeconds - before.processorSeconds) / elapsed * 100, 1)) % of one core,"
                + " \(Text.fixed(cost, 2)) µs a delivery")
        print("  processor time of gpsd         \(Text.fixed(gpsdCost, 2)) µs a line to each of \(gpsdClients) clients")
        print("  ratio                          \(Text.fixed(cost / max(gpsdCost, 0.001), 2))")
        print("  resident memory of waymarkd    \(after.resident >> 10) KiB")
        try daemon.stop()
        try receiver.stop()
    }

    private struct Reader {
        let descriptor: Int32
        let readsGPSD: Bool
        var messages = 0
        var dropped = 0
        private let end: UInt8

        init(toDaemon path: String) throws {
            descriptor = try UnixSocket.connect(path: path).release()
            readsGPSD = false
            end = 0
            let request = CallRequest(method: LocationInterface.Method.monitor.rawValue, more: true).encoded
            _ = request.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        }

        init(toGPSD port: UInt16) throws {
            guard let connection = try LoopbackPort.connection(to: port) else {
                throw SystemError("connect to gpsd", code: ECONNREFUSED)
            }
            descriptor = connection.release()
            readsGPSD = true
            end = UInt8(ascii: "\n")
            let request = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)
            _ = request.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        }

        mutating func receive(_ buffer: inout [UInt8]) {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return }
            for byte in buffer[..<count] where byte == end { messages += 1 }
            if !readsGPSD, let dropped = Self.droppedCount(buffer[..<count]) { self.dropped += dropped }
        }

        /// The sum of the numbers after `"dropped":`.
        private static func droppedCount(_ bytes: ArraySlice<UInt8>) -> Int? {
            let text = String(decoding: bytes, as: UTF8.self)
            return text.split(separator: "\"dropped\":").dropFirst().reduce(0) { sum, part in
                sum + (Int(part.prefix { $0.isNumber }) ?? 0)
            }
        }
    }

    private static func readAll(_ readers: inout [Reader], until deadline: UInt64) throws {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var entries = readers.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        while true {
            let now = SystemClock().monotonicNanoseconds
            guard now < deadline else { return }
            let ready = poll(&entries, nfds_t(entries.count), Int32((deadline - now) / 1_000_000) + 1)
            guard ready > 0 else { continue }
            for index in entries.indices where entries[index].revents != 0 { readers[index].receive(&buffer) }
        }
    }
}
