import Glibc
import Location
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
    private let keeper: (any SocketKeeping)?
    /// Whether the socket is kept for the next process.
    private var isKept = false
    /// Whether the socket is that of an earlier process, and nobody has wanted positions yet.
    private var isResting = false
    /// Whether all that is there to be read is the beginning of a line.
    private var holdsHalfLine = false
    /// How often the socket was looked into, which half a line must not go on raising.
    private(set) var looks = 0
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
        clock: any TimeSource = SystemClock(), keeper: (any SocketKeeping)? = nil,
        random: @escaping () -> Double = { Double.random(in: 0..<1) },
        handler: @escaping @DaemonActor (Event) -> Void
    ) throws(SystemError) {
        self.endpoint = endpoint
        self.clock = clock
        self.handler = handler
        self.keeper = keeper
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
            perform(session.resume(at: now))
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

    /// Takes over the connection that an earlier process left, as its keeper has it; nothing is read from it before
    /// somebody wants positions. To be called once at most, before that; where it leads elsewhere it is ended.
    public func takeOver(_ descriptor: consuming OwnedDescriptor) -> Bool {
        guard let left = StreamSocket(adopting: descriptor, to: endpoint) else { return false }
        socket = consume left
        (isResting, isKept) = (true, true)
        return true
    }

    /// Leaves the connection to the next process, which reads on where this one stopped; ends it where it is not kept.
    /// To be called last of all.
    public func leave() {
        keep()
        guard isKept else { return unwant() }
        timer?.disarm()
        (isResting, isKept) = (false, false)
        closeSocket()
    }

    private func keep() {
        guard case .watching = session.state, !isKept, outgoing.isEmpty, let number = socket?.number else { return }
        isKept = keeper?.keep(number) ?? false
        if isKept { keeper?.wasRead(at: clock.monotonicNanoseconds) }
    }

    private func timerFired() {
        perform(session.timerFired(at: clock.monotonicNanoseconds))
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
        case .stateChanged(let state):
            keep()
            handler(.stateChanged(state))
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
        if !events.isDisjoint(with: ends.union(.readable)) { read(isLast: !events.isDisjoint(with: ends)) }
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
    /// Only whole lines are taken: where this process ends, whatever ends it, the next one begins with a line.
    private func read(isLast: Bool) {
        looks += 1
        do throws(SystemError) {
            guard let waiting = try socket?.peek(into: &buffer) ?? nil else { return }
            guard waiting > 0 else { return fail(.closedByPeer) }
            let end = buffer[..<waiting].lastIndex(of: UInt8(ascii: "\n"))
            // What is longer than the buffer, or never ends, is no line.
            holdsHalfLine = end == nil && waiting < buffer.count && !isLast
            settle()
            guard !holdsHalfLine, let count = try socket?.read(end.map { $0 + 1 } ?? waiting, into: &buffer) ?? nil
            else { return }
            let now = clock.monotonicNanoseconds
            keeper?.wasRead(at: now)
            keep()
            perform(session.received(buffer.span.extracting(0..<count), at: now))
        } catch {
            fail(.system(error))
        }
    }

    private static let incoming: IOEvents = [.readable, .readHangUp]

    /// Half a line would be readable all the time: what is told then is that there is more.
    private func settle() {
        var interest = Self.incoming
        if !outgoing.isEmpty { interest.insert(.writable) }
        if holdsHalfLine { interest.insert(.edgeTriggered) }
        source?.interest = interest
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
        if isKept {
            // Who keeps it has it too: gpsd is to learn now that it is over.
            socket?.shut()
            keeper?.letGo()
        }
        (isKept, isResting, holdsHalfLine) = (false, false, false)
        socket = nil
        outgoing = []
    }
}
