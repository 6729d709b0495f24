import Glibc
import Netlink
import NetlinkRecording
import NetworkPaths
import Platform

/// Records the kernel's announcements during a command and its replies afterwards, for the fixtures of the tests. Run
/// by Scripts/record-netlink, which creates the networks.
@main
struct Main {
    private static let usage = """
        usage: waymark-netlink-recorder [--about LINE]... [--during COMMAND] [--user NUMBER]... [ADDRESS]...

        Writes to its standard output what the routing of this network answers to all that a daemon might ask, with
        the ADDRESSes among the destinations, and before it what is announced while sh(1) runs COMMAND.

        """

    static func main() throws {
        var recording = NetlinkRecording()
        var command: String?
        var users: [UInt32] = []
        var destinations: [IPAddress] = []
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch (argument, arguments.first) {
            case ("--about", .some(let line)): recording.about.append(line)
            case ("--during", .some(let text)): command = text
            case ("--user", .some(let number)): users.append(try required(UInt32(number), number))
            default:
                destinations.append(try required(IPAddress(argument), argument))
                continue
            }
            arguments.removeFirst()
        }
        var events = try EventSocket(NetlinkSocket())
        events.watchesAllNeighbours = true
        if let command { recording.events = try listen(&events, during: command) }
        let exchange = RecordingExchange(QuerySocket(try NetlinkSocket()))
        let kernel = KernelInquiry(exchange: exchange, readsDeviceTypes: false)
        Inventory(destinations, users: users).query(kernel) { exchange.comment = $0 }
        recording.exchanges = exchange.exchanges
        print(recording.text, terminator: "")
    }

    private static func required<Value>(_ value: Value?, _ argument: String) throws -> Value {
        guard let value else {
            fail("\(argument) is not understood\n\(usage)", code: 2)
        }
        return value
    }

    /// The announcements during a command, and until no more follow: the kernel reports carriers up to a second late,
    /// linkwatch.
    private static func listen(_ socket: inout EventSocket, during command: String) throws -> [[UInt8]] {
        var events: [[UInt8]] = []
        let process = try ChildProcess(ChildProcess.Launch("/bin/sh", ["-ec", command], error: .inherited))
        let status = try process.wait(seconds: 30)
        guard status?.isSuccess == true else {
            fail("failed: \(command)\n", code: 1)
        }
        while events.count < 1_000, try PollDeadline(seconds: 1.2).poll(socket.number, for: POLLIN) {
            _ = socket.drain { events.append(RecordingExchange.withoutNumbers($0)) }
        }
        return events
    }

    private static func fail(_ message: String, code: Int32) -> Never {
        let text = Array("waymark-netlink-recorder: \(message)".utf8)
        _ = text.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(code)
    }
}
