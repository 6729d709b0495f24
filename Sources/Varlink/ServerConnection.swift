import Durations
import Glibc
import Platform

/// The server's side of a client's connection. It performs what `ConnectionState` and `OutputQueue` decide.
@DaemonActor
public final class ServerConnection {
    /// The client, as the kernel identified it when it connected.
    nonisolated public let peer: PeerIdentity
    /// The name of the listener to which the client connected.
    nonisolated public let listenerName: String
    /// The daemon's object for the client.
    public var session: AnyObject?
    /// The daemon's data about the client, to be restored after a restart.
    public var note: [UInt8] = []
    /// Called once, soon after the connection has ended.
    public var onClose: (@DaemonActor () -> Void)?

    /// The quota to which it is counted.
    var share = ConnectionShare.unaccounted
    /// Nil once closed.
    var socket: OwnedDescriptor?
    private var source: IOSource?
    /// Nil once the server has been released. That may happen on another thread, and its deinit runs later on the
    /// loop's thread.
    private(set) weak var server: Server?
    let clock: any TimeSource
    let limits: ServerLimits
    var state: ConnectionState
    var output: OutputQueue<Call.Offer>
    var current: Call?
    /// Since when the client has received nothing although data is queued.
    var laggingSince: UInt64?
    private var isPumping = false
    var phase = Phase.running
    private var drainWaiter: (@Sendable @DaemonActor () -> Void)?
    /// Whether the server's timer has it.
    private var isTimed = false

    enum Phase {
        /// Handed over by an earlier process, and not continued yet.
        case resting
        case running
        /// The process is about to end.
        case leaving
    }

    init(
        _ socket: consuming OwnedDescriptor, peer: PeerIdentity, listenerName: String, server: Server
    ) throws(SystemError) {
        self.peer = peer
        self.listenerName = listenerName
        self.server = server
        (clock, limits) = (server.clock, server.limits)
        state = ConnectionState(limits: limits)
        output = OutputQueue(limit: limits.maximumQueuedBytes)
        let number = socket.number
        self.socket = consume socket
        try prepare(number, .readable)
    }

    /// A connection that an earlier process handed over; it rests until `goOn`.
    init(
        _ socket: consuming OwnedDescriptor, peer: PeerIdentity, continuing handed: HandedConnection, server: Server
    ) throws {
        self.peer = peer
        self.server = server
        (clock, limits) = (server.clock, server.limits)
        listenerName = handed.listenerName
        note = handed.note
        state = try ConnectionState(limits: limits, continuing: handed, at: server.now)
        output = OutputQueue(limit: limits.maximumQueuedBytes)
        if !handed.output.isEmpty { try output.append(handed.output) }
        phase = .resting
        let number = socket.number
        self.socket = consume socket
        if let call = handed.call {
            let request = try CallRequest(parsing: call.message, maximumDepth: limits.maximumDepth)
            let repetition = server.repetition(of: request)
            if case .never = repetition {
                current = Call(request, on: self, remembering: 0)
            } else {
                current = RepeatedCall(request, on: self, repetition, after: call.replies)
            }
            state.resumeCall()
        }
        try prepare(number, [])
        settle()
    }

    private func prepare(_ number: Int32, _ interest: IOEvents) throws(SystemError) {
        if var size = limits.sendBufferBytes {
            try retrying("set a socket's buffer") {
                setsockopt(number, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            }
        }
        source = try IOSource(number, interest) { [weak self] events in self?.handle(events) }
    }

    // Before the socket is closed, and on the loop's thread.
    isolated deinit {
        source?.cancel()
    }

    var now: UInt64 { clock.monotonicNanoseconds }

    /// Whether it is open.
    public var isOpen: Bool { socket != nil }

    /// The client's network namespace; nil once closed, or if the kernel does not report it.
    public var network: NetworkIdentity? {
        guard let number = socket?.number else { return nil }
        do throws(SystemError) { return try NetworkIdentity(of: number) } catch { return nil }
    }

    /// Whether no data is queued.
    public var isDrained: Bool { output.isDrained }

    /// Calls the body in a later iteration of the loop, when no data is queued; never if the connection ends before.
    /// There is one such body at a time: a later call replaces it.
    public func whenDrained(_ body: @escaping @Sendable @DaemonActor () -> Void) {
        drainWaiter = body
        reportIfDrained()
    }

    private func reportIfDrained() {
        guard let body = drainWaiter, isOpen, output.isDrained else { return }
        drainWaiter = nil
        DaemonActor.post(body)
    }

    /// Closes the connection at once; queued data is lost.
    public func close(_ reason: CloseReason) {
        guard isOpen else { return }
        disconnect()
        if let onClose {
            self.onClose = nil
            DaemonActor.post { onClose() }
        }
        server?.closed(self, reason)
    }

    /// Releases everything without calling the server, which may no longer exist.
    func disconnect() {
        source?.cancel()
        source = nil
        socket = nil
        drainWaiter = nil
        current?.abandon()
        current = nil
    }

    private func handle(_ events: IOEvents) {
        guard server != nil else { return disconnect() }
        if phase == .resting {
            // Earlier data of this client cannot be handled, because the client is not identified yet.
            return close(.clientClosed)
        }
        if events.contains(.writable) { flush() }
        if events.contains(.hangUp) || events.contains(.failed) {
            receiveRest()
            return close(.clientClosed)
        }
        if events.contains(.readable) { _ = receive() }
        settle()
    }

    // Receiving

    /// Reads once and starts the completed calls. Returns whether more data may be available.
    private func receive() -> Bool {
        guard isOpen, state.wantsInput, phase == .running else { return false }
        let received: Server.Received
        do throws(MessageFramer.TooLong) {
            received =
                try server?.receive(from: socket?.number ?? -1) { (bytes) throws(MessageFramer.TooLong) in
                    try state.receive(bytes, at: now)
                } ?? .nothing
        } catch {
            close(.messageTooLong)
            return false
        }
        switch received {
        case .bytes:
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

    /// The client has disconnected. Its earlier requests are still handled, for example calls without reply.
    private func receiveRest() {
        while receive() {}
    }

    /// Starts calls until one is in progress or data is queued.
    func pump() {
        // A handler that replies at once calls this again through `finished`; then the loop below continues.
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        do throws(MalformedMessage) {
            while isOpen, phase == .running, output.isDrained, let request = try state.nextCall(at: now) {
                start(request)
            }
        } catch {
            close(.malformedMessage)
        }
    }

    private func start(_ request: CallRequest) {
        let remembered = request.more ? server?.repetition(of: request).rememberedReplies ?? 0 : 0
        let call = Call(request, on: self, remembering: remembered)
        current = call
        server?.dispatch(call)
        guard request.oneway, !call.isOver else { return }
        call.finishOneway()
        finished(call)
    }

    func finished(_ call: Call) {
        guard current === call else { return }
        current = nil
        // An offered reply belongs to the call that is over.
        if output.discardOffer() > 0 { server?.count(\.droppedOffers) }
        state.finishCall()
        pump()
        settle()
    }

    /// Updates the watched events and the deadline after a change.
    func settle() {
        guard isOpen else { return }
        if state.isFinished, output.isDrained, phase != .resting { return close(.clientClosed) }
        var interest: IOEvents = state.wantsInput && phase == .running ? .readable : []
        if output.isDrained || phase == .resting {
            laggingSince = nil
        } else {
            interest.insert(.writable)
            if laggingSince == nil { laggingSince = now }
        }
        source?.interest = interest
        reportIfDrained()
        let hasDeadline = deadline != nil
        if hasDeadline || isTimed { server?.deadlines.update(self) }
        isTimed = hasDeadline
    }
}

extension ServerConnection: DeadlineHolder {
    private var laggingDeadline: UInt64? {
        laggingSince.map { $0.after(limits.lagging) }
    }

    var deadline: UInt64? {
        guard isOpen else { return nil }
        return [laggingDeadline, phase == .running ? state.deadline : nil].compactMap(\.self).min()
    }

    func deadlinePassed(at now: UInt64) {
        guard deadline.map({ $0 <= now }) ?? false else { return settle() }
        close(laggingDeadline.map { $0 <= now } ?? false ? .lagging : .unfinishedMessage)
    }

    /// Counts a call that ended because its caller is not permitted.
    func countRefusal() { server?.count(\.refusedCalls) }
}
