import Glibc
import JSONText
import Platform
import Varlink

/// A call of a client: its connection, and the buffers of it. `Conversation` decides what happens.
final class OpenCall {
    /// Up to this many events of a call are queued; then its connection is not read.
    static let mostQueuedEvents = 64
    /// The longest message that is accepted, in bytes.
    static let longestMessage = 4 << 20

    let number: UInt64
    let operation: Operation
    var conversation: Conversation
    /// The number of its queued events.
    var queued = 0
    private var socket: OwnedDescriptor?
    private var framer = MessageFramer(limit: longestMessage)
    private var output: ArraySlice<UInt8> = []
    /// What the poller watches the connection for; nil if it does not.
    private var watched: UInt32?

    init(_ number: UInt64, _ operation: Operation) {
        self.number = number
        self.operation = operation
        conversation = Conversation(operation.request(), operation.replies, operation.endurance)
    }

    /// Whether the program has taken enough events for a further one.
    var hasRoom: Bool { queued < Self.mostQueuedEvents }

    /// Connects without blocking, and has the connection watched.
    func connect(_ path: String, _ poller: borrowing Poller) throws(SystemError) {
        let connection = try UnixSocket.connectAtOnce(path: path)
        try poller.add(connection.number, of: number, for: Readiness.read)
        watched = Readiness.read
        socket = consume connection
    }

    /// Closes the connection.
    func close(_ poller: borrowing Poller) {
        if let number = socket?.number, watched != nil { poller.remove(number) }
        abandon()
    }

    /// Closes this process's copy of the connection, without effect on another process that has it.
    func abandon() {
        socket = nil
        watched = nil
        framer.removeAll()
        output = []
    }

    /// Sends a request, or the rest of it when the connection is ready.
    func send(_ request: CallRequest) {
        output.append(contentsOf: request.encoded)
        flush()
    }

    /// Sends what the connection accepts now.
    func flush() {
        guard let number = socket?.number, !output.isEmpty else { return }
        output = output.dropFirst(UnixSocket.sendAtOnce(output, to: number))
        if output.isEmpty { output = [] }
    }

    /// Watches the connection for what the call can do now.
    func watch(_ poller: borrowing Poller) throws(SystemError) {
        guard let number = socket?.number else { return }
        let events = (hasRoom ? Readiness.read : 0) | (output.isEmpty ? 0 : Readiness.write)
        guard events != watched else { return }
        try poller.change(number, of: self.number, to: events)
        watched = events
    }

    /// The next reply that was received; nil if there is none, or no room for what it reports.
    func nextReply() throws(MalformedMessage) -> Reply? {
        guard hasRoom, let message = framer.next() else { return nil }
        return try Reply(parsing: message)
    }

    /// Receives up to 64 KiB.
    func receive() -> CallFailure? {
        guard let number = socket?.number else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { bytes -> CallFailure? in
            let count = recv(number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                do throws(MessageFramer.TooLong) { try framer.append(bytes[..<count], at: 0) } catch {
                    return CallFailure(errno: EMSGSIZE)
                }
                return nil
            }
            if count == 0 { return CallFailure(errno: ECONNRESET) }
            switch errno {
            case EINTR, EAGAIN: return nil
            case let code: return CallFailure(errno: code)
            }
        }
    }
}
