import CLinux
import Durations
import Glibc
import JSONText
import Platform

/// A connection to a Varlink service on the event loop: a call never blocks, its replies come to a callback.
///
/// Calls are answered in the order in which they were made. A call for more than one reply keeps those behind it waiting
/// until its last one, so that a stream that does not end has a connection for itself. A connection that has ended stays
/// so: whoever uses it connects anew.
@DaemonActor
public final class LoopClient {
    /// What a service, or a program that makes calls, cannot exceed.
    public struct Limits: Sendable {
        /// The longest reply that is taken, in bytes.
        public var maximumReplyBytes = 4 << 20
        /// How many bytes of calls may wait for a service that does not read.
        public var maximumQueuedBytes = 1 << 20
        /// How many calls may wait for their replies.
        public var maximumCalls = 64

        /// The usual ones.
        public init() {}
    }

    /// What is called with each reply of a call, and once with the error that ends it.
    public typealias Handler<Value> = @DaemonActor (Result<Value, VarlinkError>) -> Void

    /// Called once, after the handlers of the calls that wait, when the connection has ended by itself; never after
    /// `close`.
    public var onEnd: (@DaemonActor (VarlinkError) -> Void)?

    /// Nil once ended.
    private var socket: OwnedDescriptor?
    private var source: IOSource?
    private var timer: TimerSource?
    private let limits: Limits
    private let clock: any TimeSource
    private var framer: MessageFramer
    /// Calls that the service has not taken.
    private var output: OutputQueue<Never>
    private var pending: [PendingCall] = []
    private var firstPending = 0

    /// What is received is copied out of here at once, so that one buffer is enough for all connections.
    private static var scratch = [UInt8](repeating: 0, count: 64 << 10)

    /// Connects to a Unix socket without waiting.
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

    /// Takes over a connected socket that does not block.
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

    /// Whether it has not ended.
    public var isOpen: Bool { socket != nil }

    /// How many calls wait for a reply.
    public var callsWaiting: Int { pending.count - firstPending }

    /// Ends the connection; no handler is called any more.
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

    /// Makes a call. The handler is called with each reply; where none comes within the timeout the connection ends with
    /// `timedOut`, as a late reply would be taken for the next one.
    public func call(_ request: CallRequest, timeout: Duration? = nil, _ handler: @escaping Handler<Reply>) {
        call(EncodedCall(request), timeout: timeout, handler)
    }

    /// Makes a call that is encoded already, likewise.
    public func call(_ call: EncodedCall, timeout: Duration? = nil, _ handler: @escaping Handler<Reply>) {
        add(call, timeout) { (message) throws(MalformedMessage) in
            let reply = try Reply(parsing: message)
            let continues = reply.error == nil && reply.continues
            return Taken(continues: continues) {
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

    /// Makes a call whose replies are large: their parameters are read straight from the bytes, without a tree.
    ///
    /// `read` has to take exactly one value. What it throws is a reply that is not understood, which ends the connection.
    public func call<Value>(
        _ call: EncodedCall, timeout: Duration? = nil,
        reading read: @escaping (inout JSONReader) throws(JSONError) -> Value, _ handler: @escaping Handler<Value>
    ) {
        add(call, timeout) { (message) throws(MalformedMessage) in
            do throws(JSONError) {
                let envelope = try ReplyEnvelope(message, reading: read)
                if !envelope.isError, let value = envelope.value {
                    return Taken(continues: envelope.continues) { handler(.success(value)) }
                }
            } catch {
                // The parameters of an error are other ones: only where it is none they were not understood.
                guard let reply = Self.error(in: message) else { throw MalformedMessage(error.description) }
                return Taken(continues: false) { handler(.failure(reply)) }
            }
            guard let reply = Self.error(in: message) else { throw MalformedMessage("a reply without parameters") }
            return Taken(continues: false) { handler(.failure(reply)) }
        } failing: {
            handler(.failure($0))
        }
    }

    /// Makes a call that gets no reply.
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
        _ take: @escaping (_ message: [UInt8]) throws(MalformedMessage) -> Taken,
        failing: @escaping @DaemonActor (VarlinkError) -> Void
    ) {
        guard isOpen else { return DaemonActor.post { failing(.closed) } }
        guard callsWaiting < limits.maximumCalls else {
            return DaemonActor.post { failing(.system(SystemError("call", code: ENOBUFS))) }
        }
        let deadline = timeout.map { clock.monotonicNanoseconds.after($0) }
        pending.append(PendingCall(more: call.more, deadline: deadline, take: take, fail: failing))
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
        // The handlers may drop the last other reference.
        withExtendedLifetime(self) {
            if events.contains(.writable) { flush() }
            if events.contains(.hangUp) || events.contains(.failed) {
                while receive() {}
            } else if events.contains(.readable) {
                _ = receive()
            }
        }
    }

    /// Reads once and hands over what that completes; says whether more may be there.
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
        let taken: Taken
        do throws(MalformedMessage) { taken = try call.take(message) } catch {
            return fail(.protocolViolation(error.description))
        }
        if taken.continues {
            guard call.more else { return fail(.protocolViolation("more replies than asked for")) }
            pending[firstPending].deadline = nil
        } else {
            removeFirst()
        }
        taken.notify()
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

    /// How often it is read at most before a call that is overdue has failed.
    private static let lateRounds = 64

    /// The connection has ended by itself: everybody who waits hears of it.
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

    /// Deadlines are looked at when the first of those has passed that were set when the timer was armed: a reply that
    /// came meanwhile costs nothing. A program that was kept from running hears of the time before it has read what is
    /// there: that is read first.
    private func checkDeadlines() {
        guard let next = nextDeadline else { return }
        if next > clock.monotonicNanoseconds {
            timer?.arm(at: next)
            return
        }
        // The handlers may drop the last other reference.
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

/// A call that waits for its replies.
private struct PendingCall {
    let more: Bool
    /// When the first reply has to be there, nanoseconds of the monotonic clock.
    var deadline: UInt64?
    let take: (_ message: [UInt8]) throws(MalformedMessage) -> Taken
    let fail: @DaemonActor (VarlinkError) -> Void

    /// What stands in the place of one that is over.
    static var over: PendingCall {
        PendingCall(
            more: false, deadline: nil, take: { (_) throws(MalformedMessage) in Taken(continues: false) {} },
            fail: { _ in })
    }
}

/// A reply that was understood.
private struct Taken {
    let continues: Bool
    /// Calls the handler.
    let notify: @DaemonActor () -> Void
}

/// A reply whose parameters were read in one pass.
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
