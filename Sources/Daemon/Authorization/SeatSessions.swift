import Platform

/// What logind knows of its sessions at a seat: whether their screens are locked, and whether somebody uses them. Sessions are
/// identified by the paths of their objects.
struct SeatSessions: Equatable {
    private struct Session: Equatable {
        var uid: UInt32?
        var hasSeat = false
        var isPerson = false
        var isConsole = false
        var isLocked = false
        var isIdle = false
        /// Nanoseconds of CLOCK_MONOTONIC; 0 for an unknown instant.
        var idleSince: UInt64 = 0

        /// Whether a person has it on a screen. A session without a seat, such as one of ssh, has no screen.
        var hasScreen: Bool { hasSeat && isPerson }
    }

    /// The most sessions that are followed.
    static let most = 1_024

    private var sessions: [String: Session] = [:]

    /// The users at a seat all of whose sessions there have a locked screen.
    var users: Set<UInt32> {
        var locked: Set<UInt32> = []
        var unlocked: Set<UInt32> = []
        for session in sessions.values where session.hasScreen {
            guard let uid = session.uid else { continue }
            if session.isLocked { locked.insert(uid) } else { unlocked.insert(uid) }
        }
        return locked.subtracting(unlocked)
    }

    /// Whether a person has a session at a seat.
    var hasScreens: Bool { sessions.values.contains(where: \.hasScreen) }

    /// Since when nobody uses any of the sessions at a seat, in nanoseconds of CLOCK_MONOTONIC; nil if somebody does, or there
    /// is none.
    var idleSince: UInt64? {
        let screens = sessions.values.filter(\.hasScreen)
        return screens.allSatisfy(\.isIdle) ? screens.map(\.idleSince).max() : nil
    }

    /// The sessions on text consoles, of which logind does not report when nobody uses them any more.
    var consoles: [String] { sessions.filter { $0.value.hasScreen && $0.value.isConsole }.map(\.key) }

    /// The users who have a session, at a seat or from elsewhere, such as one of ssh.
    var present: Set<UInt32> {
        Set(sessions.values.compactMap { $0.isPerson ? $0.uid : nil })
    }

    /// The user whose session it is, if it is that of a person at a seat.
    func userOfScreen(_ path: String) -> UInt32? {
        guard let session = sessions[path], session.hasScreen else { return nil }
        return session.uid
    }

    /// Adds a session whose properties are not known yet. False if it is known, or there are too many.
    mutating func add(_ path: String) -> Bool {
        guard sessions[path] == nil, sessions.count < Self.most else { return false }
        sessions[path] = Session()
        return true
    }

    /// Removes a session.
    mutating func remove(_ path: String) { sessions[path] = nil }

    /// Sets the properties of a session that are given, by their names in org.freedesktop.login1.Session. Values of other types
    /// are ignored.
    mutating func set(_ properties: [String: BusValue], of path: String) {
        guard var session = sessions[path] else { return }
        if let uid = properties["User"]?.structure?.first?.uint32 { session.uid = uid }
        if let seat = properties["Seat"]?.structure?.first?.string { session.hasSeat = !seat.isEmpty }
        if let kind = properties["Class"]?.string { session.isPerson = kind == "user" }
        if let type = properties["Type"]?.string { session.isConsole = type == "tty" }
        if let isLocked = properties["LockedHint"]?.bool { session.isLocked = isLocked }
        if let isIdle = properties["IdleHint"]?.bool { session.isIdle = isIdle }
        if let since = properties["IdleSinceHintMonotonic"]?.uint64 {
            let (nanoseconds, overflow) = since.multipliedReportingOverflow(by: 1_000)
            session.idleSince = overflow ? .max : nanoseconds
        }
        sessions[path] = session
    }
}
