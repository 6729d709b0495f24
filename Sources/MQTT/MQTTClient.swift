import CMosquitto
import COpenSSL
import Durations
import Glibc
import NetworkPaths
import Platform
import Upload

/// Publishes to a broker through libmosquitto with its socket on the event loop: QoS 1, in a session that outlives its
/// connections. Each `connect` makes one attempt; the caller waits and retries.
///
/// The client subscribes to the topics of commands and of births that the settings name, with QoS 0: messages of the time
/// without a connection are lost. Otherwise it subscribes to nothing.
@DaemonActor
public final class MQTTClient {
    /// The most messages in one segment.
    private static let mostGathered = 16

    private enum State {
        case idle
        /// The broker's name is being resolved.
        case lookingUp
        /// One of the addresses is being tried; `rest` are the remaining ones.
        case connecting(rest: ArraySlice<String>)
        case up
    }

    private let settings: MQTTSettings
    private let clock: any TimeSource
    private let onEvent: @DaemonActor (MQTTEvent) -> Void
    private var session: BrokerSession?
    private var state = State.idle
    private var source: DuplicateIOSource?
    private var timer: TimerSource?
    /// Whether the current TCP connection was established, TLS aside.
    private var hasConnected = false
    private var keepAlive: Duration
    /// When the broker accepted the connection, nanoseconds of CLOCK_MONOTONIC.
    private var upSince: UInt64 = 0
    /// When a packet was sent last, nanoseconds of CLOCK_MONOTONIC.
    private var sentAt: UInt64 = 0
    private var will: [UInt8] = []
    /// Counts connections, so that events of an earlier connection can be recognized.
    private var generation: UInt64 = 0
    /// The number of messages that the kernel has collected.
    private var gathered = 0
    /// Pending events, which are reported outside the caller's calls.
    private var events: ArraySlice<(generation: UInt64, event: MQTTEvent)> = []
    private var isReporting = false

    /// A client that is not connected; `onEvent` is called from the loop, never within a call to the client.
    public init(
        _ settings: MQTTSettings, clock: any TimeSource = SystemClock(),
        onEvent: @escaping @DaemonActor (MQTTEvent) -> Void
    ) throws(MQTTSetupError) {
        self.settings = settings
        self.clock = clock
        self.onEvent = onEvent
        keepAlive = settings.keepAlive
        do throws(SystemError) {
            timer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.timerFired() }
        } catch {
            throw .system(error)
        }
        if case .bearer = settings.credential { throw .unusableCredential }
        do throws(SessionProblem) {
            session = try BrokerSession(settings)
        } catch {
            // A problem with TLS is reported by the attempt to connect, because the files may be corrected meanwhile.
            if case .setup(let problem) = error { throw problem }
        }
    }

    /// Connects; `connected`, `refused` or `lost` follows unless `disconnect` is called. The broker publishes the last
    /// will with QoS 0 when the connection ends without a DISCONNECT.
    public func connect(lastWill: [UInt8]) {
        guard case .idle = state else { return }
        generation += 1
        will = lastWill
        keepAlive = settings.keepAlive
        switch settings.host {
        case .address: attempt([settings.host.description])
        case .name(let name):
            guard let name = HostName(name) else { return lose(.nameLookup) }
            state = .lookingUp
            let asked = generation
            AddressLookup.start(name) { [weak self] addresses in
                guard let self, self.generation == asked, case .lookingUp = self.state else { return }
                if addresses.isEmpty { self.lose(.nameLookup) } else { self.attempt(addresses.map(\.description)[...]) }
                self.notify()
            }
        }
        reportSoon()
    }

    /// Publishes with QoS 1; `published` or `failed` follows, possibly over a later connection, unless the message is
    /// cancelled.
    public func publish(_ id: UInt64, to topic: String, _ body: [UInt8], isRetained: Bool) {
        guard case .up = state, let session else {
            note(.failed(id, .connectionLost))
            return reportSoon()
        }
        sentAt = clock.monotonicNanoseconds
        gather(session)
        switch session.publish(id, to: topic, body, isRetained: isRetained) {
        case MOSQ_ERR_SUCCESS.rawValue: source?.interest = session.interest
        case MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_ERRNO.rawValue, MOSQ_ERR_NO_CONN.rawValue:
            collect(session)
            lose(.connectionLost)
        case MOSQ_ERR_OVERSIZE_PACKET.rawValue: note(.published([BrokerConfirmation(id, reason: 0x95)]))
        case MOSQ_ERR_QOS_NOT_SUPPORTED.rawValue: note(.published([BrokerConfirmation(id, reason: 0x9B)]))
        default: note(.failed(id, .connectionLost))
        }
        reportSoon()
    }

    /// Collects the messages of one iteration of the loop into segments, a few at a time so that the broker can start.
    private func gather(_ session: BrokerSession) {
        gathered += 1
        if gathered == 1 {
            session.gather(true)
            DaemonActor.post { [weak self] in self?.letGo() }
        } else if gathered > Self.mostGathered {
            session.gather(false)
            session.gather(true)
            gathered = 2
        }
    }

    private func letGo() {
        gathered = 0
        session?.gather(false)
    }

    /// Withdraws a message as far as possible: the session is not resumed.
    public func cancel(_ id: UInt64) {
        session?.abandon(id)
        events.removeAll { $0.event == .failed(id, .connectionLost) }
    }

    /// Disconnects from the broker. Unconfirmed messages remain in the session and are sent again after the next
    /// `connect`.
    public func disconnect() {
        generation += 1
        end()
        reportSoon()
    }

    // Connecting.

    private func attempt(_ addresses: ArraySlice<String>) {
        guard let address = addresses.first else { return lose(.connect) }
        let session: BrokerSession
        do throws(SessionProblem) {
            session = try preparedSession()
        } catch {
            switch error {
            case .tls(let fault): return lose(.tls(fault))
            case .setup(let problem):
                Log.warning("a broker cannot be connected to: \(problem)")
                return lose(.connect)
            }
        }
        state = .connecting(rest: addresses.dropFirst())
        hasConnected = false
        sentAt = clock.monotonicNanoseconds
        if let failure = session.connect(to: address, will: will) {
            return connectionEnded(session, during: failure)
        }
        watch(session)
        if addresses.count > 1 { timer?.arm(at: sentAt.after(settings.addressTimeout)) }
    }

    private func preparedSession() throws(SessionProblem) -> BrokerSession {
        if let session, !session.isStale { return session }
        session = nil
        let made = try BrokerSession(settings)
        session = made
        return made
    }

    private func watch(_ session: BrokerSession) {
        let connection = generation
        do throws(SystemError) {
            source = try DuplicateIOSource(session.socket, session.interest) { [weak self] events in
                guard let self, self.generation == connection else { return }
                self.ready(events)
                self.notify()
            }
        } catch {
            Log.warning("a broker's socket cannot be watched: \(error)")
            lose(.connect)
        }
    }

    private func ready(_ events: IOEvents) {
        guard let session else { return }
        let isBroken = !events.isDisjoint(with: [.failed, .hangUp])
        if !isBroken { hasConnected = true }
        var failure = hasConnected ? UploadFailure.connectionLost : .connect
        // The other side does not use TLS, or no common version, instead of closing the connection without a reason.
        if session.isHandshaking, session.hasHeard { failure = .tls(.handshake) }
        let status = session.transfer(events)
        let isDead = isBroken && (!hasConnected || session.isHandshaking)
        follow(session, isDead: isDead || status != MOSQ_ERR_SUCCESS.rawValue, failure)
    }

    /// Applies the results of a call into libmosquitto.
    private func follow(_ session: BrokerSession, isDead: Bool, _ failure: UploadFailure) {
        let drained = collect(session)
        if let answer = drained.answer {
            guard answer == 0 else { return refuse(answer) }
            if case .connecting = state { connected(session, drained) }
        }
        if let code = drained.end, (0x80...0xFF).contains(code) { return refuse(UInt8(clamping: code)) }
        guard !isDead, drained.end == nil, session.socket >= 0, !session.isFlooded(after: secondsUp) else {
            return connectionEnded(session, during: failure)
        }
        source?.interest = session.interest
    }

    private func connected(_ session: BrokerSession, _ drained: BrokerSession.Events) {
        state = .up
        upSince = clock.monotonicNanoseconds
        if let problem = session.subscribe() { Log.warning("the broker cannot be subscribed to: \(problem)") }
        if let seconds = drained.serverKeepAlive, seconds > 0 { keepAlive = .seconds(seconds) }
        sentAt = clock.monotonicNanoseconds
        timer?.arm(at: sentAt.after(keepAlive))
        note(.connected(isResumed: session.isResumption))
    }

    /// For how long the connection has been up, in seconds.
    private var secondsUp: UInt64 {
        guard case .up = state else { return 0 }
        return (clock.monotonicNanoseconds - min(upSince, clock.monotonicNanoseconds)) / 1_000_000_000
    }

    /// Handles a connection that has ended or could not be established.
    private func connectionEnded(_ session: BrokerSession, during failure: UploadFailure) {
        guard case .connecting(let rest) = state else { return lose(failure) }
        if let fault = session.tlsFault { return lose(.tls(fault)) }
        guard failure == .connect, !rest.isEmpty else { return lose(failure) }
        leave()
        attempt(rest)
    }

    private func timerFired() {
        guard let session else { return }
        switch state {
        case .connecting: connectionEnded(session, during: .connect)
        case .up:
            let due = sentAt.after(keepAlive)
            guard clock.monotonicNanoseconds >= due else {
                timer?.arm(at: due)
                return
            }
            let status = session.keepAlive()
            sentAt = clock.monotonicNanoseconds
            timer?.arm(at: sentAt.after(keepAlive))
            follow(session, isDead: status != MOSQ_ERR_SUCCESS.rawValue, .connectionLost)
        case .idle, .lookingUp: break
        }
        notify()
    }

    // The end of a connection.

    private func refuse(_ code: UInt8) {
        end()
        note(.refused(code))
    }

    private func lose(_ failure: UploadFailure) {
        end()
        note(.lost(failure))
    }

    private func end() {
        leave()
        state = .idle
        if session?.isStale == true { session = nil }
    }

    /// Ends the connection; confirmations received until then are still reported.
    private func leave() {
        timer?.disarm()
        source?.cancel()
        source = nil
        guard let session else { return }
        session.disconnect()
        collect(session)
        // A session whose socket is stuck is discarded with it; its messages are published again.
        if session.socket >= 0 { self.session = nil }
    }

    // Reporting.

    @discardableResult
    private func collect(_ session: BrokerSession) -> BrokerSession.Events {
        let drained = session.drain()
        if session.socket < 0 {
            source?.cancel()
            source = nil
        }
        if !drained.confirmed.isEmpty { note(.published(drained.confirmed)) }
        for message in drained.received { note(.received(message)) }
        if drained.hasConsumerStarted { note(.consumerStarted) }
        for topic in drained.forbidden {
            Log.warning(
                "the broker does not permit this client to subscribe to \(topic): permit it in the broker's rules")
        }
        return drained
    }

    private func note(_ event: MQTTEvent) { events.append((generation, event)) }

    private func reportSoon() {
        guard !events.isEmpty else { return }
        DaemonActor.post { [weak self] in self?.notify() }
    }

    /// Reports pending events: those about messages always, those about connections only for the current one.
    private func notify() {
        guard !isReporting else { return }
        isReporting = true
        while let (connection, event) = events.popFirst() {
            switch event {
            case .published, .failed, .received, .consumerStarted: onEvent(event)
            case .connected, .refused, .lost: if connection == generation { onEvent(event) }
            }
        }
        isReporting = false
    }

    isolated deinit {
        timer?.cancel()
        source?.cancel()
        session?.disconnect()
    }
}
