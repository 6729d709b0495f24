import Platform

/// What logind knows of the screens of its sessions. Sessions are identified by the paths of their objects.
struct LockedSessions: Equatable {
    private struct Session: Equatable {
        var uid: UInt32?
        var hasSeat = false
        var isPerson = false
        var isLocked = false
    }

    /// The most sessions that are followed.
    static let most = 1_024

    private var sessions: [String: Session] = [:]

    /// The users at a seat all of whose sessions there have a locked screen. A session without a seat, such as one of ssh, has
    /// no screen.
    var users: Set<UInt32> {
        var locked: Set<UInt32> = []
        var unlocked: Set<UInt32> = []
        for session in sessions.values where session.hasSeat && session.isPerson {
            guard let uid = session.uid else { continue }
            if session.isLocked { locked.insert(uid) } else { unlocked.insert(uid) }
        }
        return locked.subtracting(unlocked)
    }

    /// Whether the session is that of a person at a seat.
    func hasScreen(_ path: String) -> Bool { sessions[path].map { $0.hasSeat && $0.isPerson } ?? false }

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
        if let isLocked = properties["LockedHint"]?.bool { session.isLocked = isLocked }
        sessions[path] = session
    }
}
