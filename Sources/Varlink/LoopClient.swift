import CLinux
import Durations
import Glibc
import JSONText
import Platform

/// A connection to a Varlink service on the event loop: calls do not block, and their replies are passed to a callback.
///
/// Replies arrive in the order of the calls. A call with `more` delays those behind it until its last reply, so an
/// endless stream needs a connection of its own. A connection that has ended cannot be reused; its owner makes a new
/// one.
@DaemonActor
public final class LoopClient {
    /// The limits of the service and of the calling program.
    public struct Limits: Sendable {
        /// The longest reply that is accepted, in bytes.
        public var maximumReplyBytes = 4 << 20
        /// The most bytes of calls queued for a service that does not read.
        public var maximumQueuedBytes = 1 << 20
        /// The most calls in progress.
        public var maximumCalls = 64

        /// The default limits.
        public init() {}
    }

    /// Called with each reply of a call, and once with the error that ends it.
    public typealias Handler<Value> = @DaemonActor (Result<Value, VarlinkError>) -> Void

    /// Called once when the connection has ended, after the handlers of the pending calls; never after `close`.
    public var onEnd: (@DaemonActor (VarlinkError) -> Void)?

    /// Nil once the connection has ended.
    private var socket: OwnedDescriptor?
    private var source: IOSource?
    private var timer: TimerSource?
    private let limits: Limits
    private let clock: any TimeSource
    private var framer: MessageFramer
    /// Calls that are not sent yet.
    private var output: OutputQueue<Never>
    private var pending: [PendingCall] = []
    private var firstPending = 0

    /// The receive buffer. The data is copied out of it at once, so all connections share one.
    private static var scratch = [UInt8](repeating: 0, count: 64 << 10)

    /// Connects to a Unix socket without blocking.
    public convenience init(
        path: String, limits: Limits = Limits(), clock: any TimeSource = SystemClock()
    ) throws(VarlinkError) {
        let socket: OwnedDescriptor
        do throws(SystemError) { socket = try UnixSocket.connectAtOnce(path: path) } catch {
            throw .cannotConnect(error)
        }
        do throws(SystemError) { try self.init(adopting: socket, limits: limits, clock: clock) } catch {
            throw .system(error)
        }
    }

    /// Adopts a connected, non-blocking socket.
    public init(
        adopting socket: consuming OwnedDescriptor, limits: Limits = Limits(), clock: any TimeSource = SystemClock()
    ) throws(SystemError) {
        self.limits = limits
        self.clock = clock
        framer = MessageFramer(limit: limits.maximumReplyBytes)
        output = OutputQueue(limit: limits.maximumQueuedBytes)
        let number = socket.number
        self.socket = consume socket
        source = try IOSource(number, .readable) { [weak self] events in self?.handle(events) }
    }

    // Before the socket is closed, and on the loop's thread.
    isolated deinit {
        source?.cancel()
        timer?.cancel()
    }

    /// Whether the connection is open.
    public var isOpen: Bool { socket != nil }

    /// The number of calls without a last reply.
    public var callsWaiting: Int { pending.count - firstPending }

    /// Closes the connection. No handler is called after that.
    public func close() {
        source?.cancel()
        source = nil
        timer?.cancel()
        timer = nil
        socket = nil
        pending = []
        firstPending = 0
        output.retract()
        framer.removeAll()
    }

    // Calls

    /// Makes a call. The handler receives each reply. If there is no reply within the timeout, the connection ends with
    /// `timedOut`, because a late reply would be mistaken for that of the next call.
    public func call(_ request: CallRequest, timeout: Duration? = nil, _ handler: @escaping Handler<Reply>) {
        call(EncodedCall(request), timeout: timeout, handler)
    }

    /// Makes a call that is already encoded.
    public func call(_ call: EncodedCall, timeout: Duration? = nil, _ handler: @escaping Handler<Reply>) {
        add(call, timeout) { (message) throws(MalformedMessage) in
            let reply = try Reply(parsing: message)
            let continues = reply.error == nil && reply.continues
            return Delivery(continues: continues) {
                if let name = reply.error {
                    handler(.failure(.reply(name: name, parameters: reply.parameters)))
                } else {
                    handler(.success(reply))
                }
            }
        } failing: {
            handler(.failure($0))
        }
    }

    /// Makes a call with large replies, whose parameters are read directly from the bytes, without a JSON tree.
    ///
    /// `read` has to consume exactly one value. An error that it throws means an invalid reply, which ends the
    /// connection.
    public func call<Value>(
        _ call: EncodedCall, timeout: Duration? = nil,
        reading read: @escaping (inout JSONReader) throws(JSONError) -> Value, _ handler: @escaping Handler<Value>
    ) {
        add(call, timeout) { (message) throws(MalformedMessage) in
            do throws(JSONError) {
                let envelope = try ReplyEnvelope(message, reading: read)
                if !envelope.isError, let value = envelope.value {
                    return Delivery(continues: envelope.continues) { handler(.success(value)) }
                }
            } catch {
                // An error reply has other parameters. Only if it is no error reply, the parameters are invalid.
                guard let reply = Self.error(in: message) else { throw MalformedMessage(error.description) }
                return Delivery(continues: false) { handler(.failure(reply)) }
            }
            guard let reply = Self.error(in: message) else { throw MalformedMessage("a reply without parameters") }
            return Delivery(continues: false) { handler(.failure(reply)) }
        } failing: {
            handler(.failure($0))
        }
    }

    /// Makes a call without a reply.
    public func callOneway(_ method: String, _ parameters: JSON = .emptyObject) {
        send(CallRequest(method: method, parameters: parameters, oneway: true).encoded)
    }

    private static func error(in message: [UInt8]) -> VarlinkError? {
        do throws(MalformedMessage) {
            let reply = try Reply(parsing: message)
            return reply.error.map { .reply(name: $0, parameters: reply.parameters) }
        } catch {
            return nil
        }
    }

    private func add(
        _ call: EncodedCall, _ timeout: Duration?,
        _ read: @escaping (_ message: [UInt8]) throws(MalformedMessage) -> Delivery,
        failing: @escaping @DaemonActor (VarlinkError) -> Void
    ) {
        guard isOpen else { return DaemonActor.post { failing(.closed) } }
        guard callsWaiting < limits.maximumCalls else {
            return DaemonActor.post { failing(.system(SystemError("call", code: ENOBUFS))) }
        }
        let deadline = timeout.map { clock.monotonicNanoseconds.after($0) }
        pending.append(PendingCall(more: call.more, deadline: deadline, read: read, fail: failing))
        send(call.bytes)
        armTimer()
    }

    // Sending

    private func send(_ bytes: [UInt8]) {
        guard isOpen else { return }
        let count = output.isEmpty ? write(bytes[...]) : 0
        guard count < bytes.count else { return }
        do throws(OutputQueue<Never>.Full) {
            try output.append(bytes, sent: count)
        } catch {
            return fail(.system(SystemError("send", code: ENOBUFS)))
        }
        source?.interest = [.readable, .writable]
    }

    private func flush() {
        _ = output.flush { write($0) }
        if output.isEmpty { source?.interest = .readable }
    }

    private func write(_ bytes: ArraySlice<UInt8>) -> Int {
        guard let number = socket?.number else { return bytes.count }
        return UnixSocket.sendAtOnce(bytes, to: number)
    }

    // Receiving

    private func handle(_ events: IOEvents) {
        // Retained, because the handlers may drop the last other reference.
        withExtendedLifetime(self) {
            if events.contains(.writable) { flush() }
            if events.contains(.hangUp) || events.contains(.failed) {
                while receive() {}
            } else if events.contains(.readable) {
                _ = receive()
            }
        }
    }

    /// Reads once and handles the completed replies. Returns whether more data may be available.
    private func receive() -> Bool {
        guard let number = socket?.number else { return false }
        let count = Self.scratch.withUnsafeMutableBytes { recv(number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
        if count == 0 {
            fail(.closed)
            return false
        }
        if count < 0 {
            switch errno {
            case EINTR: return true
            case EAGAIN: return false
            case ECONNRESET: fail(.closed)
            case let code: fail(.system(SystemError("receive", code: code)))
            }
            return false
        }
        do throws(MessageFramer.TooLong) {
            try framer.append(Self.scratch[..<count], at: 0)
        } catch {
            fail(.protocolViolation("a reply of more than \(error.limit) bytes"))
            return false
        }
        while isOpen, let message = framer.next() { receive(message) }
        return isOpen
    }

    private func receive(_ message: [UInt8]) {
        guard firstPending < pending.count else { return fail(.protocolViolation("a reply to no call")) }
        let call = pending[firstPending]
        let delivery: Delivery
        do throws(MalformedMessage) { delivery = try call.read(message) } catch {
            return fail(.protocolViolation(error.description))
        }
        if delivery.continues {
            guard call.more else { return fail(.protocolViolation("more replies than requested")) }
            pending[firstPending].deadline = nil
        } else {
            removeFirst()
        }
        delivery.notify()
    }

    private func removeFirst() {
        pending[firstPending] = PendingCall.over
        firstPending += 1
        if firstPending == pending.count || firstPending >= 32 {
            pending.removeSubrange(..<firstPending)
            firstPending = 0
        }
    }

    // The end

    /// The most reads before a call without a timely reply fails.
    private static let lateRounds = 64

    /// The connection has ended: notifies all pending calls.
    private func fail(_ error: VarlinkError) {
        guard isOpen else { return }
        let waiting = pending[firstPending...]
        let onEnd = onEnd
        close()
        self.onEnd = nil
        for call in waiting { call.fail(error) }
        onEnd?(error)
    }

    private func armTimer() {
        guard let deadline = pending[firstPending...].lazy.compactMap(\.deadline).first else { return }
        if let timer, timer.isArmed { return }
        do throws(SystemError) {
            if timer == nil {
                timer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.checkDeadlines() }
            }
            timer?.arm(at: deadline)
        } catch {
            fail(.system(error))
        }
    }

    /// Deadlines are checked when the earliest of those has passed that existed when the timer was armed, so a reply in
    /// the meantime needs no change of the timer. After a time in which this process could not run, received replies
    /// are read before the deadlines are checked.
    private func checkDeadlines() {
        guard let next = nextDeadline else { return }
        if next > clock.monotonicNanoseconds {
            timer?.arm(at: next)
            return
        }
        // Retained, because the handlers may drop the last other reference.
        withExtendedLifetime(self) {
            var rounds = 0
            while rounds < Self.lateRounds, receive() { rounds += 1 }
            guard let next = nextDeadline else { return }
            if next <= clock.monotonicNanoseconds { return fail(.timedOut) }
            timer?.arm(at: next)
        }
    }

    private var nextDeadline: UInt64? { pending[firstPending...].lazy.compactMap(\.deadline).min() }
}

/// A call in progress.
private struct PendingCall {
    let more: Bool
    /// The deadline of the first reply, nanoseconds of the monotonic clock.
    var deadline: UInt64?
    let read: (_ message: [UInt8]) throws(MalformedMessage) -> Delivery
    let fail: @DaemonActor (VarlinkError) -> Void

    /// A placeholder for a call that is over.
    static var over: PendingCall {
        PendingCall(
            more: false, deadline: nil, read: { (_) throws(MalformedMessage) in Delivery(continues: false) {} },
            fail: { _ in })
    }
}

/// A valid reply.
private struct Delivery {
    let continues: Bool
    /// Calls the handler.
    let notify: @DaemonActor () -> Void
}

/// A reply whose parameters were decoded in one pass.
private struct ReplyEnvelope<Value> {
    var value: Value?
    var continues = false
    var isError = false

    init(
        _ message: [UInt8], reading read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) {
        var reader = try JSONReader(message)
        var value: Value?
        var continues = false
        var isError = false
        try reader.members { (reader) throws(JSONError) in
            if reader.isNamed("parameters"), !isError {
                value = try read(&reader)
            } else if reader.isNamed("continues") {
                continues = try reader.optionalBool() ?? false
            } else if reader.isNamed("error") {
                isError = try reader.optionalString() != nil
            } else {
                try reader.skip()
            }
        }
        try reader.end()
        self.value = value
        self.continues = continues
        self.isError = isError
    }
}
