import Glibc
import NetworkPaths
import Platform

/// The session's hands: a socket and a timer on the daemon's loop.
@DaemonActor
public final class Connection {
    /// What the daemon hears of.
    public enum Event: Equatable, Sendable {
        /// A report came.
        case report(Report)
        /// Something became of a receiver, named as gpsd names its device.
        case receiver(String, Session.ReceiverChange)
        /// The conversation is in another state.
        case stateChanged(Session.State)
    }

    /// Where gpsd listens.
    public let endpoint: Endpoint

    private var session: Session
    private let clock: any TimeSource
    private let handler: @DaemonActor (Event) -> Void
    /// Whether the socket is that of an earlier process, and nobody has wanted positions yet.
    private var isResting = false
    /// The part of a line that the earlier process had read.
    private var leftRemainder = LineSplitter.Remainder.beginning([])
    /// When the socket was read last, in nanoseconds of CLOCK_MONOTONIC.
    private var lastRead: UInt64 = 0
    /// When the bytes were read that contain the reports passed on at present, in nanoseconds of CLOCK_MONOTONIC; nil
    /// while none are passed on. All reports of one read have arrived by then, however long the handling of the first
    /// ones takes.
    public private(set) var arrival: UInt64?
    private var timer: TimerSource?
    private var socket: StreamSocket?
    private var source: IOSource?
    private var addresses: ArraySlice<IPAddress> = []
    private var outgoing: ArraySlice<UInt8> = []
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    private var pending: [Session.Effect] = []
    private var isPerforming = false

    /// A connection that is not made before somebody wants it.
    ///
    /// The handler is called on the loop, in order, and may call `want` and `unwant`. `random` gives numbers from 0 up
    /// to but not including 1.
    public init(
        to endpoint: Endpoint, limits: Session.Limits = Session.Limits(), backoff: Backoff = Backoff(),
        clock: any TimeSource = SystemClock(),
        random: @escaping () -> Double = { Double.random(in: 0..<1) },
        handler: @escaping @DaemonActor (Event) -> Void
    ) throws(SystemError) {
        self.endpoint = endpoint
        self.clock = clock
        self.handler = handler
        session = Session(limits: limits, backoff: backoff, random: random)
        // Time-outs of seconds may be a twentieth of one late.
        timer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.timerFired() }
    }

    // Before the socket is closed, and on the loop's thread.
    isolated deinit {
        source?.cancel()
    }

    /// Where the conversation is.
    public var state: Session.State { session.state }
    /// Why the last connection ended.
    public var lastFailure: SessionFailure? { session.lastFailure }
    /// What went over the connection.
    public var counters: Session.Counters { session.counters }
    /// The receivers that gpsd has.
    public var receivers: ReceiverRegister { session.receivers }
    /// Lines that were too long.
    public var droppedLines: Int { session.droppedLines }
    /// Whether gpsd was asked because it is silent, and has not answered yet.
    public var awaitsAnswer: Bool { session.awaitsAnswer }
    /// Seconds since gpsd sent a line last; nil where it is not watched.
    public var silentSeconds: Double? {
        guard case .watching = session.state else { return nil }
        let now = clock.monotonicNanoseconds
        return Double(now - min(now, session.heardAt)) / 1e9
    }
    /// Satellites that were too many.
    public var droppedSatellites: Int { session.droppedSatellites }

    /// Somebody wants positions: connects, and connects again whenever the connection ends. Where an earlier process left
    /// one, goes on with that.
    public func want() {
        let now = clock.monotonicNanoseconds
        guard isResting else { return perform(session.want(at: now)) }
        isResting = false
        do throws(SystemError) {
            try watch(Self.incoming)
            perform(session.resume(at: now, after: leftRemainder))
        } catch {
            closeSocket()
            perform(session.want(at: now))
        }
    }

    /// Nobody wants positions: closes, so that gpsd can power the receiver down.
    public func unwant() {
        if isResting { closeSocket() }
        perform(session.unwant(at: clock.monotonicNanoseconds))
    }

    // Over restarts

    /// Takes over the connection that an earlier process left; nothing is read from it before somebody wants positions. To be
    /// called once at most, before that. False where it leads elsewhere, and then it is ended.
    public func takeOver(_ left: consuming LeftConnection) -> Bool {
        (lastRead, leftRemainder) = (left.lastRead, left.remainder)
        guard let adopted = StreamSocket(adopting: left.socket, to: endpoint) else { return false }
        socket = consume adopted
        isResting = true
        return true
    }

    /// Leaves the connection to the next process, which reads on where this one stopped. Nil where there is none that works:
    /// it is ended then. To be called last of all.
    public func leave() -> LeftConnection? {
        let remainder: LineSplitter.Remainder
        switch session.state {
        case .idle where isResting: remainder = leftRemainder
        case .watching where outgoing.isEmpty, .resuming where outgoing.isEmpty: remainder = session.remainder
        default:
            unwant()
            return nil
        }
        timer?.disarm()
        source?.cancel()
        source = nil
        isResting = false
        guard let left = socket.take() else { return nil }
        return LeftConnection(socket: left.release(), lastRead: lastRead, remainder: remainder)
    }

    private func timerFired() {
        // What has come before a deadline counts before it, also where this process could not run for a while.
        if case .watching = session.state { read() }
        perform(session.timerFired(at: clock.monotonicNanoseconds))
    }

    /// Asks gpsd at once whether the connection still works, as after a suspend of the machine.
    public func inquire() {
        perform(session.inquire(at: clock.monotonicNanoseconds))
    }

    private func fail(_ failure: SessionFailure) {
        close()
        perform(session.disconnected(failure, at: clock.monotonicNanoseconds))
    }

    /// Carries the effects out in order. Those that follow from carrying one out come after those already waiting.
    private func perform(_ effects: [Session.Effect]) {
        pending.append(contentsOf: effects)
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while !pending.isEmpty {
            let batch = pending
            pending = []
            for effect in batch { carryOut(effect) }
        }
    }

    private func carryOut(_ effect: Session.Effect) {
        switch effect {
        case .connect: connect()
        case .close: close()
        case .send(let bytes):
            outgoing.append(contentsOf: bytes)
            flush()
        case .report(let report): handler(.report(report))
        case .receiver(let path, let change): handler(.receiver(path, change))
        case .stateChanged(let state): handler(.stateChanged(state))
        case .armTimer(let time): timer?.arm(at: time)
        case .disarmTimer: timer?.disarm()
        }
    }

    private func connect() {
        close()
        switch endpoint {
        case .unix(let path):
            begin { () throws(SystemError) in try StreamSocket(toPath: path) }
        case .tcp(let addresses, _):
            self.addresses = addresses[...]
            connectToNextAddress(orFailWith: SystemError("connect to", code: EADDRNOTAVAIL, subject: "\(endpoint)"))
        }
    }

    private func connectToNextAddress(orFailWith error: SystemError) {
        guard case .tcp(_, let port) = endpoint, let address = addresses.popFirst() else {
            fail(.system(error))
            return
        }
        begin { () throws(SystemError) in try StreamSocket(to: address, port: port) }
    }

    private func begin(_ open: () throws(SystemError) -> StreamSocket) {
        do throws(SystemError) {
            let opened = try open()
            let isPending = opened.isPending
            socket = consume opened
            try watch(isPending ? .writable : Self.incoming)
            if !isPending { perform(session.connected(at: clock.monotonicNanoseconds)) }
        } catch {
            abandonAttempt(error)
        }
    }

    private func watch(_ events: IOEvents) throws(SystemError) {
        guard let number = socket?.number else { return }
        source = try IOSource(number, events) { [weak self] events in self?.socketReady(events) }
    }

    private func abandonAttempt(_ error: SystemError) {
        closeSocket()
        connectToNextAddress(orFailWith: error)
    }

    private func socketReady(_ events: IOEvents) {
        if case .connecting = session.state {
            finishConnecting()
            return
        }
        if events.contains(.writable) { flush() }
        let ends: IOEvents = [.readHangUp, .hangUp, .failed]
        if !events.isDisjoint(with: ends.union(.readable)) { read() }
    }

    private func finishConnecting() {
        do throws(SystemError) {
            try socket?.finishConnecting()
            source?.interest = Self.incoming
            perform(session.connected(at: clock.monotonicNanoseconds))
        } catch {
            abandonAttempt(error)
        }
    }

    /// One read for each time the loop says that there is something: other sources have their turn in between.
    ///
    /// Everything that has come is taken out of the kernel, also half a line, which the session carries. A few bytes that
    /// are left in a TCP socket keep the whole buffer occupied that they came in; with several of those the window stays
    /// closed, gpsd can send no more, and nothing ever becomes readable again.
    private func read() {
        do throws(SystemError) {
            let count = try socket?.read(into: &buffer) ?? nil
            if count == 0 { return fail(.closedByPeer) }
            lastRead = clock.monotonicNanoseconds
            guard let count else { return }
            arrival = lastRead
            defer { arrival = nil }
            perform(session.received(buffer.span.extracting(0..<count), at: lastRead))
        } catch {
            fail(.system(error))
        }
    }

    private static let incoming: IOEvents = [.readable, .readHangUp]

    private func settle() {
        source?.interest = outgoing.isEmpty ? Self.incoming : Self.incoming.union(.writable)
    }

    private func flush() {
        guard !outgoing.isEmpty else { return }
        do throws(SystemError) {
            let count = try socket?.write(outgoing) ?? outgoing.count
            outgoing = outgoing.dropFirst(count)
            settle()
        } catch {
            // Of a connection that ended while no process read, what came before is read first; reading finds its end.
            guard case .resuming = session.state else { return fail(.system(error)) }
            outgoing = []
            settle()
        }
    }

    private func close() {
        closeSocket()
        addresses = []
    }

    private func closeSocket() {
        source?.cancel()
        source = nil
        isResting = false
        socket = nil
        outgoing = []
    }
}
