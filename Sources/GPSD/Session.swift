/// The protocol with gpsd as a pure state machine: it receives events with their time and returns effects, which
/// `Connection` performs.
///
/// Times are nanoseconds of CLOCK_MONOTONIC.
public struct Session: ~Copyable {
    /// The state of the protocol.
    public enum State: Equatable, Sendable {
        /// Positions are not wanted, so gpsd may power the receiver down.
        case idle
        /// Waiting for the connection.
        case connecting(attempt: Int, deadline: UInt64)
        /// Connected, waiting for gpsd's greeting.
        case greeting(attempt: Int, deadline: UInt64)
        /// Using the connection of an earlier process: reading the buffered reports, up to gpsd's reply to a request.
        case resuming(deadline: UInt64)
        /// Receiving reports.
        case watching(ProtocolVersion, attempt: Int, since: UInt64)
        /// The connection failed, and will be attempted again.
        case waiting(until: UInt64, attempt: Int, because: SessionFailure)
    }

    /// A change of a receiver.
    public enum ReceiverChange: String, Equatable, Sendable {
        /// gpsd has added it.
        case appeared
        /// It has sent no report for too long.
        case becameStale
        /// It sends reports again.
        case recovered
        /// gpsd has removed it.
        case removed
    }

    /// What the caller has to do, in this order.
    public enum Effect: Equatable, Sendable {
        /// Begin to connect.
        case connect
        /// Close the connection, or cancel the attempt.
        case close
        /// Send these bytes.
        case send([UInt8])
        /// Pass on a report.
        case report(Report)
        /// Report the change of a receiver, named by its device in gpsd.
        case receiver(String, ReceiverChange)
        /// Report the new state.
        case stateChanged(State)
        /// Arm the timer for this time.
        case armTimer(at: UInt64)
        /// Disarm the timer.
        case disarmTimer
    }

    /// Time limits, all in nanoseconds.
    public struct Limits: Equatable, Sendable {
        /// The longest attempt to connect.
        public var connect: UInt64 = 5_000_000_000
        /// The longest wait for gpsd's greeting.
        public var greeting: UInt64 = 5_000_000_000
        /// The silence after which a receiver is stale; for a slow one 3 of its own cycles.
        public var stale: UInt64 = 5_000_000_000
        /// The silence after which gpsd is queried, unless the intervals of its receivers explain it. It doubles with
        /// each reply that is not followed by a receiver's report.
        public var silence: UInt64 = 10_000_000_000
        /// The limit of that time.
        public var longestSilence: UInt64 = 300_000_000_000
        /// The longest wait for the reply.
        public var answer: UInt64 = 5_000_000_000
        /// How long a connection must have worked for the next failure to count as the first.
        public var settled: UInt64 = 10_000_000_000

        /// The defaults.
        public init() {}
    }

    /// Counters since the start.
    public struct Counters: Equatable, Sendable {
        /// Reports passed on.
        public var reports = 0
        /// Lines that could not be decoded, by reason.
        public var faults: [LineFault: Int] = [:]
        /// Lines before gpsd's greeting.
        public var unexpectedLines = 0
        /// Attempts to connect.
        public var attempts = 0
        /// Failed attempts, and connections that ended.
        public var failures = 0
        /// Queries because of silence.
        public var inquiries = 0
        /// Of the failures, the connections that were closed because gpsd did not reply to such a query.
        public var reconnectsAfterSilence = 0
    }

    /// Requests all reports as JSON, including pulses. Ends with a line feed as gpsd_json(5) requires.
    public static let watchRequest = Array("?WATCH={\"enable\":true,\"json\":true,\"pps\":true};\n".utf8)

    /// Requests gpsd's version. The reply has the same form as the greeting.
    public static let versionRequest = Array("?VERSION;\n".utf8)

    /// Requests gpsd's devices and latest reports. gpsd replies to both at once, whatever the state of its receivers.
    public static let inquiryRequest = Array("?DEVICES;\n?POLL;\n".utf8)

    /// The present state.
    public private(set) var state = State.idle
    /// Why the last connection ended.
    public private(set) var lastFailure: SessionFailure?
    /// The counters.
    public private(set) var counters = Counters()
    /// The receivers of gpsd.
    public private(set) var receivers = ReceiverRegister()
    /// The number of lines over the splitter's limit.
    public var droppedLines: Int { splitter.droppedLines }
    /// The number of satellites beyond libgps's limit.
    public var droppedSatellites: Int { decoder.droppedSatellites }

    private let limits: Limits
    private let backoff: Backoff
    private let random: () -> Double
    private var splitter: LineSplitter
    private var decoder = ReportDecoder()
    private var armedTimer: UInt64?
    /// When the last complete line was received.
    public private(set) var heardAt: UInt64 = 0
    /// The permitted silence after that.
    private var patience: UInt64 = 0
    /// The deadline of the reply to a query; nil without a query.
    private var answerDeadline: UInt64?
    /// Whether gpsd was queried because of its silence, and has not replied yet.
    public var awaitsAnswer: Bool { answerDeadline != nil }
    /// The incomplete line.
    public var remainder: LineSplitter.Remainder { splitter.remainder }

    /// An idle session. `random` returns numbers from 0 up to but not including 1.
    public init(
        limits: Limits = Limits(), backoff: Backoff = Backoff(), lineLimit: Int = 64 * 1024,
        random: @escaping () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.limits = limits
        self.backoff = backoff
        self.random = random
        splitter = LineSplitter(limit: lineLimit)
    }

    /// Positions are wanted.
    public mutating func want(at now: UInt64) -> [Effect] {
        guard case .idle = state else { return [] }
        var effects: [Effect] = []
        connect(attempt: 1, at: now, &effects)
        return scheduled(effects)
    }

    /// Positions are wanted, and an earlier process handed over a connection. Its buffered reports come first; the
    /// reply to a request that is sent now marks their end.
    public mutating func resume(
        at now: UInt64, after remainder: LineSplitter.Remainder = .beginning([])
    ) -> [Effect] {
        guard case .idle = state else { return [] }
        var effects: [Effect] = []
        splitter.reset(to: remainder)
        enter(.resuming(deadline: now + limits.greeting), &effects)
        effects.append(.send(Self.versionRequest))
        return scheduled(effects)
    }

    /// Positions are no longer wanted.
    public mutating func unwant(at now: UInt64) -> [Effect] {
        var effects: [Effect] = []
        switch state {
        case .idle: return []
        case .waiting: break
        case .connecting, .greeting, .resuming, .watching: effects.append(.close)
        }
        forgetConnection()
        enter(.idle, &effects)
        return scheduled(effects)
    }

    /// The connection is established.
    public mutating func connected(at now: UInt64) -> [Effect] {
        guard case .connecting(let attempt, _) = state else { return [] }
        var effects: [Effect] = []
        enter(.greeting(attempt: attempt, deadline: now + limits.greeting), &effects)
        return scheduled(effects)
    }

    /// The connection has ended or could not be made. It is already closed.
    public mutating func disconnected(_ failure: SessionFailure, at now: UInt64) -> [Effect] {
        var effects: [Effect] = []
        fail(failure, at: now, &effects)
        return scheduled(effects)
    }

    /// Handles received bytes, with any boundaries.
    public mutating func received(_ bytes: Span<UInt8>, at now: UInt64) -> [Effect] {
        switch state {
        case .idle, .connecting, .waiting: return []
        case .greeting, .resuming, .watching: break
        }
        var effects: [Effect] = []
        var lines: [Result<Report, LineFault>] = []
        Self.read(bytes, &splitter, &decoder, into: &lines)
        if !lines.isEmpty { heard(at: now) }
        for line in lines {
            switch line {
            case .success(let report): handle(report, at: now, &effects)
            case .failure(let fault): counters.faults[fault, default: 0] += 1
            }
        }
        return scheduled(effects)
    }

    /// Handles the expired timer.
    public mutating func timerFired(at now: UInt64) -> [Effect] {
        armedTimer = nil
        var effects: [Effect] = []
        switch state {
        case .idle: break
        case .connecting(_, let deadline) where now >= deadline:
            effects.append(.close)
            fail(.connectTimedOut, at: now, &effects)
        case .greeting(_, let deadline) where now >= deadline, .resuming(let deadline) where now >= deadline:
            effects.append(.close)
            fail(.noGreeting, at: now, &effects)
        case .waiting(let until, let attempt, _) where now >= until:
            connect(attempt: attempt + 1, at: now, &effects)
        case .watching:
            for path in receivers.expire(at: now) { effects.append(.receiver(path, .becameStale)) }
            if let answerDeadline, now >= answerDeadline {
                counters.reconnectsAfterSilence += 1
                effects.append(.close)
                fail(.noAnswer, at: now, &effects)
            } else if answerDeadline == nil, now >= silenceDeadline {
                inquire(at: now, &effects)
            }
        case .connecting, .greeting, .resuming, .waiting: break
        }
        return scheduled(effects)
    }

    /// Queries gpsd whether the connection still works, without waiting for its silence, for example after a suspend of
    /// the machine.
    public mutating func inquire(at now: UInt64) -> [Effect] {
        guard case .watching = state, answerDeadline == nil else { return [] }
        var effects: [Effect] = []
        inquire(at: now, &effects)
        return scheduled(effects)
    }

    private mutating func inquire(at now: UInt64, _ effects: inout [Effect]) {
        counters.inquiries += 1
        answerDeadline = now + limits.answer
        effects.append(.send(Self.inquiryRequest))
    }

    /// When gpsd is queried if it sends nothing until then. Its receivers may be silent as long as their own intervals
    /// explain.
    private var silenceDeadline: UInt64 { max(heardAt + patience, receivers.lastDeadline ?? 0) }

    /// A complete line of any content shows that the connection works. If it follows a query, the next query is made
    /// later.
    private mutating func heard(at now: UInt64) {
        heardAt = now
        guard answerDeadline != nil else { return }
        answerDeadline = nil
        patience = min(patience * 2, limits.longestSilence)
    }

    private static func read(
        _ bytes: Span<UInt8>, _ splitter: inout LineSplitter, _ decoder: inout ReportDecoder,
        into lines: inout [Result<Report, LineFault>]
    ) {
        splitter.feed(bytes) { line in
            do throws(LineFault) {
                lines.append(.success(try decoder.decode(line)))
            } catch {
                lines.append(.failure(error))
            }
        }
    }

    private mutating func handle(_ report: Report, at now: UInt64, _ effects: inout [Effect]) {
        switch (state, report) {
        case (.greeting(let attempt, _), .version(let version)):
            greet(version, attempt: attempt, at: now, &effects)
        case (.greeting, _):
            counters.unexpectedLines += 1
        case (.resuming, .version(let version)):
            greet(version, attempt: 1, at: now, &effects)
        case (.watching, _), (.resuming, _):
            counters.reports += 1
            if report.source != nil { patience = limits.silence }
            for (path, change) in receivers.note(report, at: now, patience: limits.stale) {
                effects.append(.receiver(path, change))
            }
            effects.append(.report(report))
        case (.idle, _), (.connecting, _), (.waiting, _):
            // The rest of a read after a line that ended the connection.
            break
        }
    }

    private mutating func greet(
        _ version: ProtocolVersion, attempt: Int, at now: UInt64, _ effects: inout [Effect]
    ) {
        guard version.major == ProtocolVersion.spokenMajor else {
            effects.append(.close)
            fail(.protocolVersion(major: version.major, minor: version.minor), at: now, &effects)
            return
        }
        (heardAt, patience, answerDeadline) = (now, limits.silence, nil)
        effects.append(.send(Self.watchRequest))
        enter(.watching(version, attempt: attempt, since: now), &effects)
        effects.append(.report(.version(version)))
    }

    private mutating func connect(attempt: Int, at now: UInt64, _ effects: inout [Effect]) {
        counters.attempts += 1
        effects.append(.connect)
        enter(.connecting(attempt: attempt, deadline: now + limits.connect), &effects)
    }

    private mutating func fail(_ failure: SessionFailure, at now: UInt64, _ effects: inout [Effect]) {
        let attempt: Int
        switch state {
        case .idle, .waiting: return
        case .resuming: attempt = 1
        case .connecting(let made, _), .greeting(let made, _): attempt = made
        case .watching(_, let made, let since): attempt = now - since >= limits.settled ? 1 : made
        }
        counters.failures += 1
        lastFailure = failure
        forgetConnection()
        let delay = backoff.delay(attempt: attempt, random: random())
        enter(.waiting(until: now + delay, attempt: attempt, because: failure), &effects)
    }

    private mutating func forgetConnection() {
        splitter.reset()
        answerDeadline = nil
        receivers = ReceiverRegister()
    }

    private mutating func enter(_ next: State, _ effects: inout [Effect]) {
        state = next
        effects.append(.stateChanged(next))
    }

    /// Adds the effects for the timer. While watching, a timer that is armed too early is not changed: each report
    /// moves its receiver's deadline, and rearming the timer each time would cost more than one unnecessary wake-up.
    private mutating func scheduled(_ effects: [Effect]) -> [Effect] {
        let (deadline, mayBeEarly): (UInt64?, Bool) =
            switch state {
            case .idle: (nil, false)
            case .connecting(_, let deadline), .greeting(_, let deadline), .resuming(let deadline): (deadline, false)
            case .waiting(let until, _, _): (until, false)
            case .watching:
                (min(answerDeadline ?? silenceDeadline, receivers.nextDeadline ?? .max), answerDeadline == nil)
            }
        guard let deadline else {
            guard armedTimer != nil else { return effects }
            armedTimer = nil
            return effects + [.disarmTimer]
        }
        if let armedTimer, armedTimer == deadline || mayBeEarly && armedTimer < deadline { return effects }
        armedTimer = deadline
        return effects + [.armTimer(at: deadline)]
    }
}
