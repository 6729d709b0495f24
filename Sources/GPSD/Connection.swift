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
        clock: any TimeSource = SystemClock(), random: @escaping () -> Double = { Double.random(in: 0..<1) },
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
    /// Satellites that were too many.
    public var droppedSatellites: Int { session.droppedSatellites }

    /// Somebody wants positions: connects, and connects again whenever the connection ends.
    public func want() {
        perform(session.want(at: clock.monotonicNanoseconds))
    }

    /// Nobody wants positions: closes, so that gpsd can power the receiver down.
    public func unwant() {
        perform(session.unwant(at: clock.monotonicNanoseconds))
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
            source = try IOSource(opened.number, isPending ? .writable : .readable) { [weak self] events in
                self?.socketReady(events)
            }
            socket = consume opened
            if !isPending { perform(session.connected(at: clock.monotonicNanoseconds)) }
        } catch {
            abandonAttempt(error)
        }
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
        if !events.isDisjoint(with: [.readable, .hangUp, .failed]) { read() }
    }

    private func finishConnecting() {
        do throws(SystemError) {
            try socket?.finishConnecting()
            source?.interest = .readable
            perform(session.connected(at: clock.monotonicNanoseconds))
        } catch {
            abandonAttempt(error)
        }
    }

    /// One read for each time the loop says that there is something: other sources have their turn in between.
    private func read() {
        do throws(SystemError) {
            guard let count = try socket?.read(into: &buffer) ?? nil else { return }
            guard count > 0 else {
                fail(.closedByPeer)
                return
            }
            let now = clock.monotonicNanoseconds
            perform(session.received(buffer.span.extracting(0..<count), at: now))
        } catch {
            fail(.system(error))
        }
    }

    private func flush() {
        guard !outgoing.isEmpty else { return }
        do throws(SystemError) {
            let count = try socket?.write(outgoing) ?? outgoing.count
            outgoing = outgoing.dropFirst(count)
            source?.interest = outgoing.isEmpty ? .readable : [.readable, .writable]
        } catch {
            fail(.system(error))
        }
    }

    private func close() {
        closeSocket()
        addresses = []
    }

    private func closeSocket() {
        source?.cancel()
        source = nil
        socket = nil
        outgoing = []
    }
}
