import CLinux
import Glibc

/// A program that was run to its end, with its output. It blocks, so it is for command line programs and tests.
public struct CompletedProcess: Sendable {
    /// How the program ended.
    public let status: ExitStatus
    /// Its standard output, decoded as UTF-8 with repairs.
    public let output: String
    /// Its standard error, decoded as UTF-8 with repairs.
    public let error: String
    /// Whether it was ended because of the time limit.
    public let timedOut: Bool
    /// The number of output bytes beyond the limit, which were discarded.
    public let bytesDropped: Int

    /// Starts the program, writes its input and reads both outputs until they close, or ends it after this many
    /// seconds. At most 16 MiB of each output are returned; the rest is read, discarded and counted.
    public static func run(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: String = "",
        seconds: Double = 30
    ) throws(SystemError) -> CompletedProcess {
        let process = try ChildProcess(
            ChildProcess.Launch(
                path, arguments, environment: environment, input: input.isEmpty ? .null : .pipe, output: .pipe,
                error: .pipe))
        var exchange = Exchange(process, input: Array(input.utf8))
        let deadline = PollDeadline(seconds: seconds)
        while exchange.isOpen, !deadline.hasPassed {
            try exchange.step(deadline)
        }
        let ended = try exchange.isOpen ? nil : process.wait(seconds: Double(deadline.remainingMilliseconds) / 1_000)
        let status = if let ended { ended } else { try process.terminate(graceSeconds: 1) }
        return CompletedProcess(
            status: status, output: String(decoding: exchange.output.bytes, as: UTF8.self),
            error: String(decoding: exchange.error.bytes, as: UTF8.self), timedOut: ended == nil,
            bytesDropped: exchange.output.dropped + exchange.error.dropped)
    }
}

/// This process's ends of a child's pipes, while data is exchanged.
private struct Exchange {
    struct Sink {
        var descriptor: Int32?
        var bytes: [UInt8] = []
        var dropped = 0

        mutating func read() {
            guard let number = descriptor else { return }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = Glibc.read(number, &buffer, buffer.count)
            if count > 0 {
                let retained = min(count, (16 << 20) - bytes.count)
                bytes += buffer[..<retained]
                dropped += count - retained
            } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
                descriptor = nil
            }
        }
    }

    let process: ChildProcess
    var pending: ArraySlice<UInt8>
    var output: Sink
    var error: Sink

    init(_ process: ChildProcess, input: [UInt8]) {
        self.process = process
        pending = input[...]
        output = Sink(descriptor: process.outputPipe)
        error = Sink(descriptor: process.errorPipe)
    }

    var isOpen: Bool { output.descriptor != nil || error.descriptor != nil }

    mutating func step(_ deadline: PollDeadline) throws(SystemError) {
        // poll(2) ignores negative descriptors.
        var requests = [
            pollfd(fd: pending.isEmpty ? -1 : process.inputPipe, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: output.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: error.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        let timeout = deadline.remainingMilliseconds
        try retrying("wait") { poll(&requests, nfds_t(requests.count), timeout) }
        if requests[0].revents != 0 { feed() }
        if requests[1].revents != 0 { output.read() }
        if requests[2].revents != 0 { error.read() }
    }

    private mutating func feed() {
        let number = process.inputPipe
        let count = pending.withUnsafeBytes { waymark_write_quietly(number, $0.baseAddress, $0.count) }
        if count > 0 { pending = pending.dropFirst(count) }
        if count < 0, errno != EAGAIN, errno != EINTR { pending = [] }
        if pending.isEmpty { process.closeInput() }
    }
}
