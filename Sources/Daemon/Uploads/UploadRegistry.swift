import Authorization
import Interfaces
import Journal

/// Which upload: whose, and of which recording.
struct UploadKey: Hashable {
    /// The app that carries it.
    var app: AppID
    /// The recording's identifier.
    var name: String

    /// Under which name the journal keeps that there is one, and whether it is paused.
    var savedName: String { "\(Self.prefix)\(app.uid) \(app.name) \(name)" }

    private static let prefix = "upload "

    init(app: AppID, name: String) {
        self.app = app
        self.name = name
    }

    /// Reads what `savedName` wrote; nil for the name of another value.
    init?(savedName: String) {
        let parts = savedName.split(separator: " ", omittingEmptySubsequences: false)
        guard savedName.hasPrefix(Self.prefix), parts.count == 4, let uid = UInt32(parts[1]), !parts[2].isEmpty,
            RecordingIdentifier.isValid(String(parts[3]))
        else { return nil }
        self.init(app: AppID(uid: uid, name: String(parts[2])), name: String(parts[3]))
    }
}

/// The uploads that are known: how each stands, and what of that is news. It decides, and touches nothing itself.
///
///     reported                        told before           told now
///     waitingForPath, deferred        anything else         uploadPaused
///     idle, sending                   uploadPaused          uploadResumed
///     backingOff, blocked             anything else         uploadFailed, after uploadResumed where it was paused
///     more was sent                   started, paused,      uploadSucceeded
///                                     failed
///     more was rejected                                     uploadRejected, at most once a minute
///
/// An attempt that fails like the one before is no news, nor is a batch that arrives like the one before.
struct UploadRegistry {
    /// How many uploads an app may have.
    static let mostOfApp = 64
    /// How many all apps of a user may have.
    static let mostOfUser = 256
    /// How long rejections are gathered after some were told, in nanoseconds.
    static let rejectionPause: UInt64 = 60_000_000_000

    /// What was told last that lasts until something else is told.
    fileprivate enum ReportedState: Equatable {
        case working
        case held(state: String, reason: String?)
        case failing(state: String, reason: String?)

        var isHeld: Bool { if case .held = self { true } else { false } }
    }

    /// An upload.
    struct Entry {
        /// How it stands, or stood when it was heard of last; nil before it was.
        fileprivate(set) var status: UploadStatus?
        /// Whether its uploader is attached.
        fileprivate(set) var isRunning = false
        /// Whether an operator has paused it.
        fileprivate(set) var isPaused = false
        fileprivate var reported = ReportedState.working
        /// Whether it would be news that it works.
        fileprivate var isSuccessNews = false
        /// Whether the numbers of this uploader are known with which its next ones are compared.
        fileprivate var isCounting = false
        fileprivate var rejections: Int64 = 0
        fileprivate var rejectionsDue: UInt64 = 0
    }

    private(set) var uploads: [UploadKey: Entry] = [:]

    /// Takes up what was saved before a restart.
    mutating func restore(_ saved: [String: String]) {
        for (name, value) in saved {
            guard let key = UploadKey(savedName: name) else { continue }
            uploads[key] = Entry(isPaused: value == Self.savedPause)
        }
    }

    /// What is saved of an upload: a word.
    static func saved(isPaused: Bool) -> String { isPaused ? savedPause : "known" }

    private static let savedPause = "paused"

    /// The uploads of this name, of this app and this user where they are given, in order.
    func choose(_ name: String, app: String? = nil, uid: UInt32? = nil) -> [UploadKey] {
        uploads.keys.filter { key in
            key.name == name && (app.map { $0 == key.app.name } ?? true) && (uid.map { $0 == key.app.uid } ?? true)
        }.sorted()
    }

    /// Whether there is room for an upload that is not known yet.
    func hasRoom(for key: UploadKey) -> Bool {
        uploads.keys.count { $0.app == key.app } < Self.mostOfApp
            && uploads.keys.count { $0.app.uid == key.app.uid } < Self.mostOfUser
    }

    /// An uploader is there.
    mutating func attach(_ key: UploadKey) -> Event {
        var entry = uploads[key] ?? Entry()
        entry.isRunning = true
        entry.isCounting = false
        entry.reported = .working
        entry.isSuccessNews = true
        uploads[key] = entry
        return Event(.uploadStarted, key)
    }

    /// An uploader is gone; what it said last is remembered.
    mutating func detach(_ key: UploadKey) -> [Event] {
        guard uploads[key] != nil else { return [] }
        let events = drainRejections(of: key)
        uploads[key]?.isRunning = false
        return events
    }

    /// It was decided whether an upload is paused, which the journal has been told.
    mutating func setPaused(_ isPaused: Bool, _ key: UploadKey) {
        uploads[key]?.isPaused = isPaused
        uploads[key]?.reported = .working
        uploads[key]?.isSuccessNews = true
    }

    /// Forgets an upload.
    mutating func forget(_ key: UploadKey) { uploads[key] = nil }

    // What is news

    /// An uploader says how it stands. What of that is to be recorded. Times are nanoseconds of CLOCK_MONOTONIC.
    mutating func report(_ status: UploadStatus, of key: UploadKey, at now: UInt64) -> [Event] {
        var entry = uploads[key] ?? Entry()
        let before = entry.status
        entry.status = status
        var events: [Event] = []
        if let before, entry.isCounting {
            entry.rejections += max(0, status.rejected - before.rejected)
            if status.sent > before.sent, entry.isSuccessNews {
                entry.isSuccessNews = false
                if !entry.reported.isHeld { entry.reported = .working }
                events.append(Event(.uploadSucceeded, key, ["sent": .integer(status.sent)]))
            }
        }
        entry.isCounting = true
        events += entry.note(status, key)
        uploads[key] = entry
        if entry.rejections > 0, entry.rejectionsDue <= now {
            uploads[key]?.rejectionsDue = now + Self.rejectionPause
            events = drainRejections(of: key) + events
        }
        return events
    }

    /// When `dueEvents` has something next; nil where nothing is gathered.
    var nextDue: UInt64? { uploads.values.filter { $0.rejections > 0 }.map(\.rejectionsDue).min() }

    /// What was gathered long enough.
    mutating func dueEvents(at now: UInt64) -> [Event] {
        uploads.filter { $0.value.rejections > 0 && $0.value.rejectionsDue <= now }.keys.sorted().flatMap { key in
            uploads[key]?.rejectionsDue = now + Self.rejectionPause
            return drainRejections(of: key)
        }
    }

    private mutating func drainRejections(of key: UploadKey) -> [Event] {
        guard let entry = uploads[key], entry.rejections > 0 else { return [] }
        uploads[key]?.rejections = 0
        var details: EventDetails = ["count": .integer(entry.rejections)]
        if let code = entry.status?.lastStatus { details.append("status", .integer(Int64(code))) }
        return [Event(.uploadRejected, key, details)]
    }
}

extension UploadRegistry.Entry {
    /// Notes how it stands, and returns what of that is news.
    fileprivate mutating func note(_ status: UploadStatus, _ key: UploadKey) -> [Event] {
        var events: [Event] = []
        let new: UploadRegistry.ReportedState
        let kind: EventKind
        switch status.state {
        case "idle", "sending":
            if reported.isHeld {
                reported = .working
                events.append(Event(.uploadResumed, key))
            }
            return events
        case "waitingForPath", "deferred":
            new = .held(state: status.state, reason: status.reason)
            kind = .uploadPaused
        case "backingOff", "blocked":
            if reported.isHeld { events.append(Event(.uploadResumed, key)) }
            new = .failing(state: status.state, reason: status.reason)
            kind = .uploadFailed
        default: return []
        }
        guard reported != new else { return [] }
        reported = new
        isSuccessNews = true
        var details: EventDetails = ["state": .text(status.state)]
        if let reason = status.reason { details.append("reason", .text(reason)) }
        // An earlier answer's, where nobody has answered now.
        if kind == .uploadFailed, let code = status.lastStatus, status.reason.map(Self.isAnswer) ?? false {
            details.append("status", .integer(Int64(code)))
        }
        return events + [Event(kind, key, details)]
    }

    /// Whether the reason of a failure is what the destination has answered.
    private static func isAnswer(_ reason: String) -> Bool {
        switch reason {
        case "status", "captive", "wrongAnswer", "refused", "unauthorized", "unknownDevice", "moved",
            "onlyPositionRejected", "everythingRejected":
            true
        default: false
        }
    }
}

extension UploadKey: Comparable {
    static func < (one: UploadKey, other: UploadKey) -> Bool {
        (one.name, one.app.name, one.app.uid) < (other.name, other.app.name, other.app.uid)
    }
}

extension Event {
    /// An event about an upload, with more of it behind its name.
    init(_ kind: EventKind, _ key: UploadKey, _ more: EventDetails = [:]) {
        var details: EventDetails = ["name": .text(key.name)]
        for entry in more.entries { details.append(entry.name, entry.value) }
        self.init(kind, app: key.app.name, uid: key.app.uid, details: details)
    }
}
