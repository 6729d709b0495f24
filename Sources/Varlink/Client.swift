import CLinux
import Glibc
import JSONText
import Platform

/// A connection to a Varlink service with blocking calls, for command line programs, libraries and tests.
///
/// It belongs to one thread at a time. Calls are made one after another. A stream occupies the connection until its
/// end, because in Varlink a client ends a stream by closing the connection.
///
/// Services ignore unknown parameters, and an older service may not know all parameters of the caller. If it ignored a
/// filter, for example, the reply would contain more than was requested. So a client that declares its protocol number
/// does not make such a call; it fails with `unknownParameter`.
public final class Client {
    /// The longest reply that is accepted, in bytes.
    public static let defaultMaximumReplyBytes = 16 << 20

    /// Nil once closed.
    private var socket: OwnedDescriptor?
    private var framer: MessageFramer
    private var scratch = [UInt8](repeating: 0, count: 64 << 10)
    /// Whether a call is in progress.
    private var isBusy = false
    /// The protocol number that the service still has to be checked against; nil after the check, or if none is needed.
    private var expectedProtocol: Int?
    /// The caller's descriptor that ends the waits when it is readable; nil for none.
    private let stop: Int32?

    /// Connects to a Unix socket; waits for the timeout if the service is too busy to accept the connection.
    ///
    /// `speaking` is the protocol number to which the caller's parameters belong; nil if ignored parameters are
    /// acceptable. A wait, also that for room, during which nothing but the descriptor `stop` is readable closes the
    /// connection and fails with `closed`.
    public convenience init(
        path: String, timeout: Duration? = nil, maximumReplyBytes: Int = Client.defaultMaximumReplyBytes,
        speaking number: Int? = nil, until stop: Int32? = nil
    ) throws(VarlinkError) {
        do throws(SystemError) {
            let socket =
                if let stop {
                    try UnixSocket.connect(path: path, timeout: timeout, until: stop)
                } else {
                    try UnixSocket.connect(path: path, timeout: timeout)
                }
            try self.init(
                adopting: socket, maximumReplyBytes: maximumReplyBytes, speaking: number, until: stop)
        } catch {
            throw error.code == ECANCELED ? .closed : .cannotConnect(error)
        }
    }

    /// Adopts a connected socket.
    public init(
        adopting socket: consuming OwnedDescriptor, maximumReplyBytes: Int = Client.defaultMaximumReplyBytes,
        speaking number: Int? = nil, until stop: Int32? = nil
    ) throws(SystemError) {
        expectedProtocol = number
        self.stop = stop
        let flags = try retrying("read a descriptor's flags") { fcntl(socket.number, F_GETFL) }
        try retrying("set a descriptor's flags") { fcntl(socket.number, F_SETFL, flags | O_NONBLOCK) }
        self.socket = consume socket
        framer = MessageFramer(limit: maximumReplyBytes)
    }

    /// The socket, to be polled by the caller: it is readable when a reply may have arrived. Nil once closed.
    public var descriptor: Int32? { socket?.number }

    /// Calls a method and waits for its reply.
    @discardableResult
    public func call(
        _ method: String, _ parameters: JSON = .emptyObject, timeout: Duration? = nil
    ) throws(VarlinkError) -> JSON {
        try reply(to: CallRequest(method: method, parameters: parameters), timeout: timeout).parameters
    }

    /// Makes a call and waits for its reply, which includes the received bytes.
    public func reply(to request: CallRequest, timeout: Duration? = nil) throws(VarlinkError) -> Reply {
        let deadline = PollDeadline(after: timeout)
        try checkParameters(of: request, deadline)
        return try exchange(request, deadline)
    }

    /// Calls a method without a reply.
    public func callOneway(
        _ method: String, _ parameters: JSON = .emptyObject, timeout: Duration? = nil
    ) throws(VarlinkError) {
        let request = CallRequest(method: method, parameters: parameters, oneway: true)
        let deadline = PollDeadline(after: timeout)
        try checkParameters(of: request, deadline)
        try send(request, deadline)
    }

    /// Calls a method that replies many times, or, with `more` false, once and late. The stream occupies the connection
    /// until its end.
    public func stream(
        _ method: String, _ parameters: JSON = .emptyObject, more: Bool = true, timeout: Duration? = nil
    ) throws(VarlinkError) -> ReplyStream {
        let request = CallRequest(method: method, parameters: parameters, more: more)
        let deadline = PollDeadline(after: timeout)
        try checkParameters(of: request, deadline)
        try send(request, deadline)
        return ReplyStream(self)
    }

    /// The service's information about itself.
    public func serviceInfo(timeout: Duration? = nil) throws(VarlinkError) -> ServiceInfo {
        try serviceInfo(PollDeadline(after: timeout))
    }

    private func serviceInfo(_ deadline: PollDeadline) throws(VarlinkError) -> ServiceInfo {
        let reply = try exchange(CallRequest(method: "org.varlink.service.GetInfo"), deadline).parameters
        guard let vendor = reply["vendor"]?.stringValue, let product = reply["product"]?.stringValue,
            let version = reply["version"]?.stringValue, let url = reply["url"]?.stringValue,
            let interfaces = reply["interfaces"]?.arrayValue
        else { throw .protocolViolation("an incomplete GetInfo") }
        return ServiceInfo(
            vendor: vendor, product: product, version: version, url: url,
            interfaces: interfaces.compactMap(\.stringValue),
            protocolNumber: reply["protocol"]?.integerValue.flatMap(Int.init(exactly:)),
            features: reply["features"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }

    /// The text of one of the service's interfaces.
    public func interfaceText(_ name: String, timeout: Duration? = nil) throws(VarlinkError) -> String {
        try interfaceText(name, PollDeadline(after: timeout))
    }

    private func interfaceText(_ name: String, _ deadline: PollDeadline) throws(VarlinkError) -> String {
        let request = CallRequest(
            method: "org.varlink.service.GetInterfaceDescription", parameters: ["interface": .string(name)])
        guard let text = try exchange(request, deadline).parameters["description"]?.stringValue else {
            throw .protocolViolation("an incomplete GetInterfaceDescription")
        }
        return text
    }

    /// Makes sure that the service ignores no parameter of a call. A service with the caller's protocol number, or a
    /// greater one, knows all of them. For an older one, the text of its interface shows which parameters it knows.
    private func checkParameters(of request: CallRequest, _ deadline: PollDeadline) throws(VarlinkError) {
        guard let number = expectedProtocol,
            request.parameters.objectValue?.contains(where: { !$0.value.isNull }) == true
        else { return }
        if let spoken = try serviceInfo(deadline).protocolNumber, spoken >= number {
            expectedProtocol = nil
            return
        }
        let text = try interfaceText(request.interfaceName, deadline)
        let description: InterfaceDescription
        do throws(InterfaceSyntaxError) { description = try InterfaceDescription(parsing: text) } catch {
            throw .protocolViolation("the text of \(request.interfaceName): \(error)")
        }
        if let parameter = description.unknownParameter(request.parameters, of: request.methodName) {
            throw .unknownParameter(parameter, method: request.method)
        }
    }

    private func exchange(_ request: CallRequest, _ deadline: PollDeadline) throws(VarlinkError) -> Reply {
        try send(request, deadline)
        guard let reply = try nextReply(deadline) else { throw .protocolViolation("no reply") }
        if reply.continues {
            close()
            throw .protocolViolation("more replies than requested")
        }
        return reply
    }

    /// Closes the connection, which also ends a stream.
    public func close() {
        socket = nil
        framer.removeAll()
        isBusy = false
    }

    /// Why `waitReadable` returned.
    public enum Wakening: Equatable, Sendable {
        /// The service has sent data or closed the connection.
        case reply
        /// One of the caller's descriptors is ready.
        case descriptor(Int32)
        /// The timeout has passed.
        case timedOut
    }

    /// Waits for the service or for one of the caller's own descriptors: a terminal, a signalfd, a timer. poll(2).
    public func waitReadable(
        alsoWatching descriptors: [Int32] = [], timeout: Duration? = nil
    ) throws(VarlinkError) -> Wakening {
        if framer.hasMessage { return .reply }
        guard let number = socket?.number else { throw .closed }
        let watched = [number] + descriptors
        let ready = try wait(watched.map { ($0, POLLIN) }, PollDeadline(after: timeout))
        if ready.contains(number) { return .reply }
        return ready.first.map(Wakening.descriptor) ?? .timedOut
    }
}

extension Client {
    /// The next reply to the call in progress; nil if there is none.
    func nextReply(_ deadline: PollDeadline) throws(VarlinkError) -> Reply? {
        guard isBusy else { return nil }
        do throws(VarlinkError) {
            while true {
                if let message = framer.next() { return try received(message) }
                try receive(deadline)
            }
        } catch {
            if case .reply = error { throw error }
            close()
            throw error
        }
    }

    private func received(_ message: [UInt8]) throws(VarlinkError) -> Reply {
        let reply: Reply
        do throws(MalformedMessage) { reply = try Reply(parsing: message) } catch {
            throw .protocolViolation(error.description)
        }
        isBusy = reply.continues && reply.error == nil
        if let name = reply.error { throw .reply(name: name, parameters: reply.parameters) }
        return reply
    }

    private func send(_ request: CallRequest, _ deadline: PollDeadline) throws(VarlinkError) {
        guard let number = socket?.number else { throw .closed }
        guard !isBusy else { throw .protocolViolation("a call while a stream runs on the connection") }
        isBusy = !request.oneway
        let bytes = request.encoded
        var position = 0
        while position < bytes.count {
            let count = bytes[position...].withUnsafeBytes {
                Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                position += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                guard !(try wait([(number, POLLOUT)], deadline).isEmpty) else {
                    close()
                    throw .timedOut
                }
            case EPIPE where isBusy, ECONNRESET where isBusy:
                // A service that refuses a connection sends the reason before it closes it, and that reply can still be
                // read.
                return
            case EPIPE, ECONNRESET:
                close()
                throw .closed
            case let code:
                close()
                throw .system(SystemError("send", code: code))
            }
        }
    }

    private func receive(_ deadline: PollDeadline) throws(VarlinkError) {
        guard let number = socket?.number else { throw .closed }
        let count = scratch.withUnsafeMutableBytes { recv(number, $0.baseAddress, $0.count, 0) }
        if count > 0 {
            do throws(MessageFramer.TooLong) { try framer.append(scratch[..<count], at: 0) } catch {
                throw .protocolViolation("a reply of more than \(error.limit) bytes")
            }
            return
        }
        if count == 0 { throw .closed }
        switch errno {
        case EINTR: return
        case EAGAIN: if try wait([(number, POLLIN)], deadline).isEmpty { throw .timedOut }
        case ECONNRESET: throw .closed
        case let code: throw .system(SystemError("receive", code: code))
        }
    }

    private func wait(
        _ descriptors: [(number: Int32, events: Int32)], _ deadline: PollDeadline
    ) throws(VarlinkError) -> [Int32] {
        let watched = descriptors + (stop.map { [($0, POLLIN)] } ?? [])
        let ready: [Int32]
        do throws(SystemError) { ready = try deadline.wait(for: watched) } catch { throw .system(error) }
        // What has arrived already is received nevertheless.
        if let stop, !ready.isEmpty, ready.allSatisfy({ $0 == stop }) {
            close()
            throw .closed
        }
        return ready.filter { $0 != stop }
    }
}
