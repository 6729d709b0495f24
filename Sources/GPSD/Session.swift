/// The conversation with gpsd: what happens goes in with its time, what to do comes out. It touches nothing itself.
///
/// Times are nanoseconds of CLOCK_MONOTONIC.
public struct Session: ~Copyable {
    /// Where the conversation is.
    public enum State: Equatable, Sendable {
        /// Nobody wants positions: gpsd may power the receiver down.
        case idle
        /// Waiting for the connection.
        case connecting(attempt: Int, deadline: UInt64)
        /// Connected, waiting for gpsd's banner.
        case greeting(attempt: Int, deadline: UInt64)
        /// Going on with the connection of an earlier process: what it did not read comes in, and behind that gpsd's answer.
        case resuming(deadline: UInt64)
        /// Reports come in.
        case watching(ProtocolVersion, attempt: Int, since: UInt64)
        /// It failed, and will be tried again.
        case waiting(until: UInt64, attempt: Int, because: SessionFailure)
    }

    /// What became of a receiver.
    public enum ReceiverChange: String, Equatable, Sendable {
        /// gpsd has it.
        case appeared
        /// It reported nothing for too long.
        case becameStale
        /// It reports again.
        case recovered
        /// gpsd let it go.
        case removed
    }

    /// What the shell has to do, in this order.
    public enum Effect: Equatable, Sendable {
        /// Begin to connect.
        case connect
        /// Close the connection, or give up connecting.
        case close
        /// Send these bytes.
        case send([UInt8])
        /// A report for whoever is interested.
        case report(Report)
        /// Something became of a receiver, named as gpsd names its device.
        case receiver(String, ReceiverChange)
        /// The state is now this one.
        case stateChanged(State)
        /// Set the one timer to this time.
        case armTimer(at: UInt64)
        /// Stop the timer.
        case disarmTimer
    }

    /// Bounds in time, all in nanoseconds.
    public struct Limits: Equatable, Sendable {
        /// How long an attempt to connect may take.
        public var connect: UInt64 = 5_000_000_000
        /// How long gpsd may take for its banner.
        public var greeting: UInt64 = 5_000_000_000
        /// How long a receiver may report nothing; one that reports slowly has 3 of its own cycles.
        public var stale: UInt64 = 5_000_000_000
        /// How long gpsd may send nothing before it is asked, where its receivers' own intervals do not explain it. The time
        /// doubles with each answer that no report of a receiver follows.
        public var silence: UInt64 = 10_000_000_000
        /// What that time grows to at most.
        public var longestSilence: UInt64 = 300_000_000_000
        /// How long gpsd may take to answer then.
        public var answer: UInt64 = 5_000_000_000
        /// How long a connection must have worked for the next failure to count as the first.
        public var settled: UInt64 = 10_000_000_000

        /// The defaults.
        public init() {}
    }

    /// What went over the connection, since the start.
    public struct Counters: Equatable, Sendable {
        /// Reports handed on.
        public var reports = 0
        /// Lines that could not be read, by reason.
        public var faults: [LineFault: Int] = [:]
        /// Lines before the banner that were none.
        public var unexpectedLines = 0
        /// Connections that were begun.
        public var attempts = 0
        /// Connections that ended or did not come about.
        public var failures = 0
        /// Times that gpsd was asked because it was silent.
        public var inquiries = 0
        /// Connections among the failures that were ended because gpsd did not answer then.
        public var reconnectsAfterSilence = 0
    }

    /// Asks gpsd for all reports as JSON, those of pulses as well; ends with a line feed as gpsd_json(5) wants it.
    public static let watchRequest = Array("?WATCH={\"enable\":true,\"json\":true,\"pps\":true};\n".utf8)

    /// Asks gpsd who it is: its answer has the form of the banner.
    public static let versionRequest = Array("?VERSION;\n".utf8)

    /// Asks gpsd for its devices and for the newest reports: it answers both at once, whatever its receivers do.
    public static let inquiryRequest = Array("?DEVICES;\n?POLL;\n".utf8)

    /// Where it is.
    public private(set) var state = State.idle
    /// Why the last connection ended.
    public private(set) var lastFailure: SessionFailure?
    /// What went over the connection.
    public private(set) var counters = Counters()
    /// The receivers that gpsd has.
    public private(set) var receivers = ReceiverRegister()
    /// Lines over the splitter's limit.
    public var droppedLines: Int { splitter.droppedLines }
    /// Satellites over what libgps has room for.
    public var droppedSatellites: Int { decoder.droppedSatellites }

    private let limits: Limits
    private let backoff: Backoff
    private let random: () -> Double
    private var splitter: LineSplitter
    private var decoder = ReportDecoder()
    private var armedTimer: UInt64?
    /// When gpsd sent a whole line last.
    public private(set) var heardAt: UInt64 = 0
    /// How long gpsd may be silent from then on.
    private var patience: UInt64 = 0
    /// Until when gpsd has to answer; nil where it was not asked.
    private var answerDeadline: UInt64?
    /// Whether gpsd was asked because it was silent, and has not answered yet.
    public var awaitsAnswer: Bool { answerDeadline != nil }
    /// What has been received of a line whose end has not come yet.
    public var remainder: LineSplitter.Remainder { splitter.remainder }

    /// A session that is idle. `random` gives numbers from 0 up to but not including 1.
    public init(
        limits: Limits = Limits(), backoff: Backoff = Backoff(), lineLimit: Int = 64 * 1024,
        random: @escaping () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.limits = limits
        self.backoff = backoff
        self.random = random
        splitter = LineSplitter(limit: lineLimit)
    }

    /// Somebody wants positions.
    public mutating func want(at now: UInt64) -> [Effect] {
        guard case .idle = state else { return [] }
        var effects: [Effect] = []
        connect(attempt: 1, at: now, &effects)
        return scheduled(effects)
    }

    /// Somebody wants positions, and there is a connection that an earlier process left. What came over it meanwhile is
    /// reported first; the reply to a request that is sent now marks the end of those.
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

    /// Nobody wants positions any more.
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

    /// The connection is there.
    public mutating func connected(at now: UInt64) -> [Effect] {
        guard case .connecting(let attempt, _) = state else { return [] }
        var effects: [Effect] = []
        enter(.greeting(attempt: attempt, deadline: now + limits.greeting), &effects)
        return scheduled(effects)
    }

    /// The connection ended, or did not come about; the shell has nothing more to close.
    public mutating func disconnected(_ failure: SessionFailure, at now: UInt64) -> [Effect] {
        var effects: [Effect] = []
        fail(failure, at: now, &effects)
        return scheduled(effects)
    }

    /// Bytes came, in whatever pieces.
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

    /// The timer that was armed has run out.
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

    /// Asks gpsd whether the connection still works without waiting for its silence, as after a suspend of the machine.
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

    /// When gpsd is asked, where it sends nothing until then: its receivers may be silent for as long as their own
    /// intervals explain.
    private var silenceDeadline: UInt64 { max(heardAt + patience, receivers.lastDeadline ?? 0) }

    /// A whole line came, whatever it says: the connection works. One that was asked for makes the next question later.
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
            // The rest of a read after the line that ended the conversation.
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

    /// Adds what the timer needs. While watching, a timer that runs out early is left alone: each report moves its
    /// receiver's deadline, and setting the timer anew each time would cost more than one early look.
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
