import CLinux
import Durations
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
    /// What the daemon needs to know of the client after a restart.
    public var note: [UInt8] = [] {
        didSet {
            guard note != oldValue else { return }
            conversationChanged()
            keep()
        }
    }
    /// Called once, soon after the connection has ended.
    public var onClose: (@DaemonActor () -> Void)?

    /// To whose share it counts.
    var share = ConnectionShare.unaccounted
    /// Nil once closed.
    var socket: OwnedDescriptor?
    private var source: IOSource?
    /// Nil once there is none: the last who had it may have let it go on another thread, and what ends it runs on the
    /// loop's only later.
    private(set) weak var server: Server?
    let clock: any TimeSource
    let limits: ServerLimits
    var state: ConnectionState
    var output: OutputQueue<Call.Offer>
    var current: Call?
    /// Since when the client has taken nothing although something waits.
    var laggingSince: UInt64?
    private var isPumping = false
    /// Where it is kept for the next process; nil where it is not.
    var slot: KeptSlot?
    /// When it is tried next to have it kept; nil where it is, or cannot be.
    var keepsAt: UInt64?
    var phase = Phase.running
    /// How many bytes were received.
    var received: UInt64 = 0
    /// Whether the call in progress has had its last reply, and is only to be let go of.
    var isAnswered = false
    /// Digests of what the call in progress said, where none of it may be said again.
    var told: [UInt64] = []
    /// The digest of what it said last; 0 where it has said nothing.
    var latest: UInt64 = 0
    /// What of a call that is made again is left out.
    var omission: Omission?
    /// What is kept but for the output; empty where it is to be written anew.
    var head: [UInt8] = []
    private var drainWaiter: (@Sendable @DaemonActor () -> Void)?
    /// Whether the server's timer knows of it.
    private var isTimed = false

    enum Phase {
        /// Kept by an earlier process, and not to go on yet.
        case resting
        case running
        /// Left to the next process.
        case leaving
    }

    struct Omission {
        var repetition: CallRepetition
        var told: [UInt64]
        var latest: UInt64
    }

    /// How long a connection without a stream lasts until it is kept: most are over by then, and the service manager is
    /// not troubled with them.
    static let briefTime: UInt64 = 1_000_000_000
    /// How long it is not tried again where it could not be kept.
    static let storePause: UInt64 = 10_000_000_000

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
        guard server.keeper != nil else { return }
        keepsAt = now.addingClamped(Self.briefTime)
        isTimed = true
        server.deadlines.update(self)
    }

    /// A connection that an earlier process kept.
    init(
        _ socket: consuming OwnedDescriptor, peer: PeerIdentity, slot: KeptSlot, content: KeptSlot.Content,
        server: Server
    ) throws {
        self.peer = peer
        self.server = server
        (clock, limits) = (server.clock, server.limits)
        let kept = content.conversation
        listenerName = kept.listenerName
        note = kept.note
        state = try ConnectionState(limits: limits, resuming: kept, at: server.now)
        output = OutputQueue(limit: limits.maximumQueuedBytes)
        if !content.output.isEmpty { try output.append(content.output) }
        received = content.received
        told = kept.told
        latest = content.latest
        phase = .resting
        let number = socket.number
        self.socket = consume socket
        if let message = kept.call {
            let request = try CallRequest(parsing: message, maximumDepth: limits.maximumDepth)
            current = Call(request, on: self, isResumed: content.latest != 0)
            state.resumeCall()
        }
        try prepare(number, [])
        self.slot = slot
        keep()
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
        if reason == .serverStopped { leave() } else { letGo() }
        disconnect()
        if let onClose {
            self.onClose = nil
            DaemonActor.post { onClose() }
        }
        server?.closed(self, reason)
    }

    /// Ends what there is with the client, and asks the server for nothing, which may be no more.
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
            // Of what it sent before it went away nothing can be done: it is not known yet who it is.
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

    /// Reads once and starts what calls that makes; says whether more may come at once.
    private func receive() -> Bool {
        guard isOpen, state.wantsInput, phase == .running else { return false }
        let number = socket?.number ?? -1
        switch slot?.receive(from: number, after: received) ?? server?.receive(from: number) ?? .nothing {
        case .bytes(let bytes):
            received &+= UInt64(bytes.count)
            conversationChanged()
            do throws(MessageFramer.TooLong) {
                try state.receive(bytes, at: now)
            } catch {
                close(.messageTooLong)
                return false
            }
            pump()
            keepIfChanged()
            return isOpen
        case .nothing:
            return false
        case .end:
            state.receiveEnd()
            keep()
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
    func pump() {
        // A handler that replies at once gets here again through `finished`; the loop below then goes on.
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
        let call = Call(request, on: self)
        current = call
        (isAnswered, told, latest) = (false, [], 0)
        conversationChanged()
        // Before anything comes of it.
        if request.more, keepsAt != nil { enterStore() }
        keep()
        server?.dispatch(call)
        guard request.oneway, !call.isOver else { return }
        call.finishOneway()
        finished(call)
    }

    func finished(_ call: Call) {
        guard current === call else { return }
        current = nil
        if !isAnswered { conversationChanged() }
        // What was offered belongs to the call that is over.
        if output.discardOffer() > 0 { server?.count(\.droppedOffers) }
        state.finishCall()
        pump()
        keepIfChanged()
        settle()
    }

    /// Adjusts what is watched and by when, after anything has happened.
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
        tellIfDrained()
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
        return [closesAt, keepsAt].compactMap(\.self).min()
    }

    private var closesAt: UInt64? {
        [laggingDeadline, phase == .running ? state.deadline : nil].compactMap(\.self).min()
    }

    func deadlinePassed(at now: UInt64) {
        if let keepsAt, keepsAt <= now { enterStore() }
        guard closesAt.map({ $0 <= now }) ?? false else { return settle() }
        close(laggingDeadline.map { $0 <= now } ?? false ? .lagging : .unfinishedMessage)
    }

    /// A call ended because its caller is not allowed.
    func countRefusal() { server?.count(\.refusedCalls) }
}
