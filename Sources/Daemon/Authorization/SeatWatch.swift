import Platform

/// What logind reports of the sessions at a seat, read over the system message bus, org.freedesktop.login1(5): locked screens,
/// and whether somebody uses the machine.
///
/// Screen lockers of desktops and phones set `LockedHint` of their session. A request to lock, as of `loginctl lock-session`, is
/// the signal `Lock`: it is reported and changes no state, because not every locker reports to logind when the screen is unlocked.
///
/// Desktops set `IdleHint` after a time of their own. That of a text console logind computes when it is queried, and reports no
/// change of it.
@DaemonActor
final class SeatWatch {
    private enum Query {
        case sessions
        case properties(of: String)
    }

    private static let manager = "org.freedesktop.login1"
    private static let managerPath = "/org/freedesktop/login1"
    private static let managerInterface = "org.freedesktop.login1.Manager"
    private static let session = "org.freedesktop.login1.Session"

    private let changes: Changes
    private let clock: any TimeSource
    /// How often text consoles are examined.
    private let consolePause: Duration
    private var service: FollowedService?
    private var queries: [UInt64: Query] = [:]
    private var sessions = SeatSessions()
    /// Whether all sessions are known.
    private var isComplete = false
    private var reported: Set<UInt32>?
    /// The users whose screens an earlier process of the daemon has left as locked.
    private var earlier: Set<UInt32> = []
    /// The users who have a session of any kind, as they were reported.
    private var present: Set<UInt32> = []
    /// Whether there was a session at a seat.
    private var hadScreens = false
    /// Since when nobody uses the machine, as it was reported.
    private var idleSince: UInt64?
    private var consoleTimer: TimerSource?
    private var examinesConsoles = false

    /// Follows logind on this bus from `start` on. Reports `screensChanged` when the users with locked screens are known, and whenever they
    /// change; `screenLocked` when a screen is locked or is to be locked; `sessionsEnded` when a
    /// user has no session any more; `idlenessChanged` when nobody uses the machine any more, or
    /// somebody does again.
    init(
        _ kind: MessageBus.Kind = .system, changes: Changes, clock: any TimeSource = SystemClock(),
        consolePause: Duration = .seconds(60)
    ) throws(SystemError) {
        self.changes = changes
        self.clock = clock
        self.consolePause = consolePause
        service = FollowedService(
            kind, name: Self.manager,
            signals: [
                "interface='\(Self.managerInterface)',path='\(Self.managerPath)',member='SessionNew'",
                "interface='\(Self.managerInterface)',path='\(Self.managerPath)',member='SessionRemoved'",
                "interface='\(Self.session)',member='Lock'",
                "interface='\(FollowedService.properties)',member='PropertiesChanged',arg0='\(Self.session)'",
            ]
        ) { [weak self] in self?.handle($0) }
        consoleTimer = try TimerSource(accuracy: .seconds(5)) { [weak self] in self?.examineConsoles() }
    }

    /// Connects to the bus. As long as there is no logind to ask, what it has reported to an earlier process of the daemon stays in
    /// force.
    func start(afterReported earlier: Set<UInt32> = []) {
        self.earlier = earlier
        service?.start()
    }

    /// Disconnects from the bus. The last state remains.
    func stop() {
        service?.stop()
        service = nil
        consoleTimer?.cancel()
    }

    /// Sets whether it matters that nobody uses a text console, which has to be queried again and again.
    func apply(examinesConsoles: Bool) {
        self.examinesConsoles = examinesConsoles
        examineConsoles()
    }

    private func examineConsoles() {
        guard examinesConsoles, service != nil else { return }
        consoleTimer?.arm(after: consolePause, clock: clock)
        guard isComplete, queries.isEmpty else { return }
        for path in sessions.consoles { query(.properties(of: path)) }
    }

    private func handle(_ event: FollowedService.Event) {
        switch event {
        // A logind or a bus that was lost returns soon, and a restart of it unlocks no screen.
        case .searching, .lost, .vanished: forget()
        case .unavailable(let error):
            Log.debug("logind cannot be asked for locked screens: \(error)")
            completeIfUnknown()
        case .absent: completeIfUnknown()
        case .appeared:
            forget()
            query(.sessions)
        case .answer(let number, let values):
            guard let query = queries.removeValue(forKey: number) else { return }
            switch query {
            case .sessions:
                for session in values.first?.structures ?? [] { if let path = session.last?.path { add(path) } }
            case .properties(let path): sessions.set(values.first?.options ?? [:], of: path)
            }
            answered()
        case .failure(let number, let text):
            guard let query = queries.removeValue(forKey: number) else { return }
            Log.debug("logind has not answered about locked screens: \(text)")
            if case .properties(let path) = query { sessions.remove(path) }
            answered()
        case .signal(let name, let message): handle(signal: name, message)
        }
    }

    private func forget() {
        queries = [:]
        sessions = SeatSessions()
        isComplete = false
    }

    private func query(_ query: Query) {
        let number =
            switch query {
            case .sessions: service?.call(Self.managerPath, Self.managerInterface, "ListSessions")
            case .properties(let path):
                service?.call(path, FollowedService.properties, "GetAll", [.string(Self.session)])
            }
        if let number { queries[number] = query }
    }

    private func add(_ path: String) { if sessions.add(path) { query(.properties(of: path)) } }

    private func answered() { if queries.isEmpty { complete() } else { report() } }

    /// There is no logind to ask. What one has reported before stays in force.
    private func completeIfUnknown() {
        guard reported == nil else { return }
        reported = earlier
        changes.report(.screensChanged(earlier))
    }

    private func complete() {
        isComplete = true
        report()
    }

    private func report() {
        guard isComplete else { return }
        reportIdleness()
        reportPresence()
        guard sessions.users != reported else { return }
        let locking = sessions.users.subtracting(reported ?? sessions.users)
        reported = sessions.users
        changes.report(.screensChanged(sessions.users))
        for uid in locking.sorted() { changes.report(.screenLocked(uid: uid)) }
    }

    /// Reports users whose last session has ended. That of an earlier start of the daemon is not known: there nothing is unlocked.
    private func reportPresence() {
        let ended = present.subtracting(sessions.present)
        present = sessions.present
        for uid in ended.sorted() { changes.report(.sessionsEnded(uid: uid)) }
    }

    /// When the last session at a seat has ended, nobody uses the machine. One that never had such a session, as a machine
    /// without a screen, is not regarded as idle.
    private func reportIdleness() {
        var since = sessions.idleSince.map { min($0, clock.monotonicNanoseconds) }
        if sessions.hasScreens {
            hadScreens = true
        } else if hadScreens {
            since = idleSince ?? clock.monotonicNanoseconds
        }
        guard since != idleSince else { return }
        idleSince = since
        changes.report(.idlenessChanged(since: since))
    }

    private func handle(signal name: String, _ message: BusMessage) {
        switch name {
        case "\(Self.managerInterface).SessionNew":
            if message.values.count == 2, let path = message.values[1].path { add(path) }
        case "\(Self.managerInterface).SessionRemoved":
            guard message.values.count == 2, let path = message.values[1].path else { return }
            sessions.remove(path)
            report()
        case "\(Self.session).Lock":
            if let uid = sessions.userOfScreen(message.path) { changes.report(.screenLocked(uid: uid)) }
        case "\(FollowedService.properties).PropertiesChanged":
            guard message.values.count >= 2, message.values[0].string == Self.session else { return }
            sessions.set(message.values[1].options ?? [:], of: message.path)
            report()
        default: break
        }
    }
}
