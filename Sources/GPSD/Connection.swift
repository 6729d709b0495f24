import Glibc
import NetworkPaths
import Platform

/// Performs the effects of a `Session`, with a socket and a timer on the daemon's loop.
@DaemonActor
public final class Connection {
    /// An event for the daemon.
    public enum Event: Equatable, Sendable {
        /// A report was received.
        case report(Report)
        /// A receiver has changed; it is named by its device in gpsd.
        case receiver(String, Session.ReceiverChange)
        /// The session has entered this state.
        case stateChanged(Session.State)
    }

    /// The address of gpsd.
    public let endpoint: Endpoint

    private var session: Session
    private let clock: any TimeSource
    private let handler: @DaemonActor (Event) -> Void
    /// Whether the socket comes from an earlier process and is not in use yet.
    private var isResting = false
    /// The part of a line that the earlier process had read.
    private var leftRemainder = LineSplitter.Remainder.beginning([])
    /// When the socket was last read, in nanoseconds of CLOCK_MONOTONIC.
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

    /// A connection that is made on demand.
    ///
    /// The handler is called on the loop, in order, and may call `want` and `unwant`. `random` returns numbers from 0
    /// up to but not including 1.
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
        // The time-outs are seconds long, so 50 ms of inaccuracy are acceptable.
        timer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.timerFired() }
    }

    // Before the socket is closed, and on the loop's thread.
    isolated deinit {
        source?.cancel()
    }

    /// The state of the session.
    public var state: Session.State { session.state }
    /// Why the last connection ended.
    public var lastFailure: SessionFailure? { session.lastFailure }
    /// The counters of the connection.
    public var counters: Session.Counters { session.counters }
    /// The receivers of gpsd.
    public var receivers: ReceiverRegister { session.receivers }
    /// The number of lines that were too long.
    public var droppedLines: Int { session.droppedLines }
    /// Whether gpsd was queried because of its silence, and has not replied yet.
    public var awaitsAnswer: Bool { session.awaitsAnswer }
    /// Seconds since the last line of gpsd; nil if it is not watched.
    public var silentSeconds: Double? {
        guard case .watching = session.state else { return nil }
        let now = clock.monotonicNanoseconds
        return Double(now - min(now, session.heardAt)) / 1e9
    }
    /// The number of satellites beyond the limit.
    public var droppedSatellites: Int { session.droppedSatellites }

    /// Positions are wanted: connects, and reconnects whenever the connection ends. If an earlier process handed over a
    /// connection, it is used.
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

    /// Positions are no longer wanted: closes the connection, so that gpsd can power the receiver down.
    public func unwant() {
        if isResting { closeSocket() }
        perform(session.unwant(at: clock.monotonicNanoseconds))
    }

    // Over restarts

    /// Adopts the connection that an earlier process handed over. Nothing is read from it before `want`. To be called
    /// once at most, and before `want`. Returns false, and closes the connection, if it leads to another endpoint.
    public func takeOver(_ left: consuming LeftConnection) -> Bool {
        (lastRead, leftRemainder) = (left.lastRead, left.remainder)
        guard let adopted = StreamSocket(adopting: left.socket, to: endpoint) else { return false }
        socket = consume adopted
        isResting = true
        return true
    }

    /// Hands the connection over to the next process, which continues reading where this one stopped. Nil, and closed,
    /// if there is no working connection. It must be the last call.
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
        // Data that arrived before a deadline is handled first, even if this process could not run for some time.
        if case .watching = session.state { read() }
        perform(session.timerFired(at: clock.monotonicNanoseconds))
    }

    /// Queries gpsd at once whether the connection still works, for example after a suspend of the machine.
    public func inquire() {
        perform(session.inquire(at: clock.monotonicNanoseconds))
    }

    private func fail(_ failure: SessionFailure) {
        close()
        perform(session.disconnected(failure, at: clock.monotonicNanoseconds))
    }

    /// Performs the effects in order. Further effects that result are performed after those already queued.
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

    /// Reads once each time that the loop reports data, so that other sources are served in between.
    ///
    /// All available data is read, including incomplete lines, which the session buffers. A few bytes that remain in a
    /// TCP socket would occupy their whole kernel buffer. With several of these the window would stay closed, gpsd
    /// could send no more, and the socket would never become readable again.
    private func read() {
        do throws(SystemError) {
            let count = try socket?.read(into: &buffer) ?? nil
            if count == 0 { return fail(.closedByPeer) }
            lastRead = clock.monotonicNanoseconds
            guard let count else { return }
            arrival = lastRead
            defer { arrival = nil }
            defer { buffer.erase(0..<count) }
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
            // If the connection ended while no process read it, the earlier data is read first; reading then finds the
            // end.
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
