import CLinux
import Glibc
import Platform

/// A client's connection as the server has it: executes what `ConnectionState` and `OutputQueue` decide.
@DaemonActor
public final class ServerConnection {
    /// Who the client is, as the kernel said when it connected.
    nonisolated public let peer: PeerIdentity
    /// The name of the listener that the client connected to.
    nonisolated public let listenerName: String
    /// Whatever the daemon keeps about the client.
    public var session: AnyObject?
    /// Called once, soon after the connection has ended.
    public var onClose: (@DaemonActor () -> Void)?

    /// Nil once closed.
    private var socket: OwnedDescriptor?
    private var source: IOSource?
    private unowned let server: Server
    private var state: ConnectionState
    private var output: OutputQueue<Call.Offer>
    private var current: Call?
    /// Since when the client has taken nothing although something waits.
    private var laggingSince: UInt64?
    private var isPumping = false
    private var drainWaiter: (@Sendable @DaemonActor () -> Void)?
    /// Whether the server's timer knows of it.
    private var isTimed = false

    init(
        _ socket: consuming OwnedDescriptor, peer: PeerIdentity, listenerName: String, server: Server
    ) throws(SystemError) {
        self.peer = peer
        self.listenerName = listenerName
        self.server = server
        state = ConnectionState(limits: server.limits)
        output = OutputQueue(limit: server.limits.maximumQueuedBytes)
        let number = socket.number
        self.socket = consume socket
        if var size = server.limits.sendBufferBytes {
            try retrying("set a socket's buffer") {
                setsockopt(number, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            }
        }
        source = try IOSource(number, .readable) { [unowned self] events in handle(events) }
    }

    // Before the socket is closed, and on the loop's thread.
    isolated deinit {
        source?.cancel()
    }

    /// Whether it has not ended.
    public var isOpen: Bool { socket != nil }

    /// The network that the client lives in; nil once closed, and where the kernel does not tell.
    public var network: NetworkIdentity? {
        guard let number = socket?.number else { return nil }
        do throws(SystemError) { return try NetworkIdentity(of: number) } catch { return nil }
    }

    /// Whether nothing waits to be sent.
    public var isDrained: Bool { output.isDrained }

    /// Calls back, in a turn of its own, once nothing waits to be sent; never where the connection ends before. One
    /// waits at a time: a later call replaces an earlier one.
    public func whenDrained(_ body: @escaping @Sendable @DaemonActor () -> Void) {
        drainWaiter = body
        tellIfDrained()
    }

    private func tellIfDrained() {
        guard let body = drainWaiter, isOpen, output.isDrained else { return }
        drainWaiter = nil
        DaemonActor.post(body)
    }

    /// Ends the connection at once; what waits to be sent is lost.
    public func close(_ reason: CloseReason) {
        guard isOpen else { return }
        source?.cancel()
        source = nil
        socket = nil
        drainWaiter = nil
        current?.abandon()
        current = nil
        if let onClose {
            self.onClose = nil
            DaemonActor.post { onClose() }
        }
        server.closed(self, reason)
    }

    private func handle(_ events: IOEvents) {
        if events.contains(.writable) { flush() }
        if events.contains(.hangUp) || events.contains(.failed) {
            receiveRest()
            return close(.clientClosed)
        }
        if events.contains(.readable) { _ = receive() }
        settle()
    }

    // Receiving

    /// Reads once and starts what calls that makes; says whether more may come at once.
    private func receive() -> Bool {
        guard isOpen, state.wantsInput else { return false }
        switch server.receive(from: socket?.number ?? -1) {
        case .bytes(let bytes):
            do throws(MessageFramer.TooLong) {
                try state.receive(bytes, at: server.now)
            } catch {
                close(.messageTooLong)
                return false
            }
            pump()
            return isOpen
        case .nothing:
            return false
        case .end:
            state.receiveEnd()
            return false
        case .failed:
            close(.clientClosed)
            return false
        }
    }

    /// The client is gone: what it sent before, calls without reply among it, is still done.
    private func receiveRest() {
        while receive() {}
    }

    /// Starts calls until one is in progress or replies wait.
    private func pump() {
        // A handler that replies at once gets here again through `finished`; the loop below then goes on.
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        do throws(MalformedMessage) {
            while isOpen, output.isDrained, let request = try state.nextCall(at: server.now) { start(request) }
        } catch {
            close(.malformedMessage)
        }
    }

    private func start(_ request: CallRequest) {
        let call = Call(request, on: self)
        current = call
        server.dispatch(call)
        guard request.oneway, !call.isOver else { return }
        call.finishOneway()
        finished(call)
    }

    func finished(_ call: Call) {
        guard current === call else { return }
        current = nil
        // What was offered belongs to the call that is over.
        if output.discardOffer() > 0 { server.count(\.droppedOffers) }
        state.finishCall()
        pump()
        settle()
    }

    // Sending

    func send(_ reply: EncodedReply) {
        guard isOpen else { return }
        queue(reply.bytes, sent: output.isEmpty ? write(reply.bytes[...]) : 0)
    }

    func offer(_ offer: @escaping Call.Offer) {
        guard isOpen else { return }
        if output.isDrained {
            attempt(offer, dropped: 0)
        } else if output.offer(offer) {
            server.count(\.droppedOffers)
        }
        settle()
    }

    func discardOffered() -> Int {
        let discarded = output.discardOffer()
        if discarded > 0 { server.count(\.discardedOffers) }
        settle()
        return discarded
    }

    /// Sends an offered reply, or keeps it whole where not even its first byte can go.
    private func attempt(_ offer: @escaping Call.Offer, dropped: Int) {
        let bytes = offer(dropped).bytes
        let count = write(bytes[...])
        guard count > 0 else { return output.putBack(offer, dropped: dropped) }
        laggingSince = nil
        queue(bytes, sent: count)
    }

    private func queue(_ bytes: [UInt8], sent: Int) {
        if sent < bytes.count {
            do throws(OutputQueue<Call.Offer>.Full) {
                try output.append(bytes, sent: sent)
            } catch {
                return close(.tooManyReplies)
            }
        }
        settle()
    }

    private func flush() {
        guard isOpen else { return }
        let count = output.flush { write($0) }
        if count > 0 { laggingSince = nil }
        if let (offer, dropped) = output.takeOffer() { attempt(offer, dropped: dropped) }
        pump()
    }

    /// How many of the bytes the kernel took. A client that is gone takes all of them: its hang-up is told separately,
    /// and what it sent before is still to be read. send(2).
    private func write(_ bytes: ArraySlice<UInt8>) -> Int {
        guard let number = socket?.number else { return bytes.count }
        return Self.send(bytes, to: number)
    }

    nonisolated private static func send(_ bytes: ArraySlice<UInt8>, to number: Int32) -> Int {
        while true {
            let count = bytes.withUnsafeBytes {
                Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS, ENOMEM: return 0
            default: return bytes.count
            }
        }
    }

    /// Adjusts what is watched and by when, after anything has happened.
    private func settle() {
        guard isOpen else { return }
        if state.isFinished, output.isDrained { return close(.clientClosed) }
        var interest: IOEvents = state.wantsInput ? .readable : []
        if output.isDrained {
            laggingSince = nil
        } else {
            interest.insert(.writable)
            if laggingSince == nil { laggingSince = server.now }
        }
        source?.interest = interest
        tellIfDrained()
        let hasDeadline = deadline != nil
        if hasDeadline || isTimed { server.deadlines.update(self) }
        isTimed = hasDeadline
    }
}

extension ServerConnection: DeadlineHolder {
    private var laggingDeadline: UInt64? {
        laggingSince.map { $0.addingClamped(server.limits.lagging.nanoseconds) }
    }

    var deadline: UInt64? {
        guard isOpen else { return nil }
        guard let lagging = laggingDeadline else { return state.deadline }
        return min(lagging, state.deadline ?? .max)
    }

    func deadlinePassed(at now: UInt64) {
        close(laggingDeadline.map { $0 <= now } ?? false ? .lagging : .unfinishedMessage)
    }
}
