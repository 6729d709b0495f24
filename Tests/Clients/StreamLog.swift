import Glibc
import Platform
import Synchronization
import TestSupport
import Varlink

/// A client that stores every reply to one call, on a thread of its own, and the errors of the stream.
public final class StreamLog: Sendable {
    private struct State {
        var replies: [Reply] = []
        var ending: String?
    }

    private let state = Mutex(State())
    private let stopped = WakeDescriptor()

    /// Connects and calls. A slow reader reads little at a time, with pauses between.
    public convenience init(
        _ path: String, _ method: String, _ parameters: String = "{}", bytesAtOnce: Int = 65_536
    ) throws {
        try self.init(over: RawConnection(path), method, parameters, bytesAtOnce: bytesAtOnce)
    }

    /// Calls over a connection, which nobody else uses any more.
    public init(
        over connection: RawConnection, _ method: String, _ parameters: String = "{}", bytesAtOnce: Int = 65_536
    ) throws {
        let call = #"{"method":"\#(method)","parameters":\#(parameters),"more":true}"#
        guard try connection.send(message: call) == .everything else {
            throw SystemError("send", code: EPIPE, subject: method)
        }
        let socket = dup(connection.socket.number)
        try DetachedThread.start(name: "stream-log") { [self] in
            let ending = follow(OwnedDescriptor(adopting: socket), bytesAtOnce)
            state.withLock { $0.ending = ending }
        }
    }

    deinit { stopped.signal() }

    /// Everything so far.
    public var replies: [Reply] { state.withLock { $0.replies } }
    /// Why the stream has ended; nil while it runs.
    public var ending: String? { state.withLock { $0.ending } }
    /// Ends it.
    public func stop() { stopped.signal() }

    private func follow(_ socket: consuming OwnedDescriptor, _ bytesAtOnce: Int) -> String {
        var framer = MessageFramer(limit: 16 << 20)
        var buffer = [UInt8](repeating: 0, count: bytesAtOnce)
        let forever = PollDeadline(after: nil)
        do {
            while true {
                let ready = try forever.wait(for: [(socket.number, POLLIN), (stopped.number, POLLIN)])
                if ready.contains(stopped.number) { return "stopped" }
                let count = recv(socket.number, &buffer, buffer.count, 0)
                if count == 0 || count < 0 && errno == ECONNRESET {
                    return "the connection ended with \(framer.bufferedBytes) bytes of a message"
                }
                guard count > 0 else { continue }
                try framer.append(buffer[..<count], at: 0)
                while let message = framer.next() {
                    let reply = try Reply(parsing: message)
                    state.withLock { $0.replies.append(reply) }
                    if let error = reply.error { return error }
                }
                if bytesAtOnce < 4_096 { _ = try PollDeadline(seconds: 0.002).poll(stopped.number, for: POLLIN) }
            }
        } catch {
            return "torn: \(error)"
        }
    }
}
