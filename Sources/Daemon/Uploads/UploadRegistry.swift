import Authorization
import Events
import Interfaces
import Journal

/// Identifies an upload by its app and recording.
struct UploadKey: Hashable {
    /// The app of the uploader.
    var app: AppID
    /// The recording's identifier.
    var name: String

    /// The name under which the journal stores that the upload exists and whether it is paused.
    var savedName: String { "\(Self.prefix)\(app.uid) \(app.name) \(name)" }

    private static let prefix = "upload "

    init(app: AppID, name: String) {
        self.app = app
        self.name = name
    }

    /// Parses a name made by `savedName`; nil for the name of another value.
    init?(savedName: String) {
        let parts = savedName.split(separator: " ", omittingEmptySubsequences: false)
        guard savedName.hasPrefix(Self.prefix), parts.count == 4, let uid = UInt32(parts[1]), !parts[2].isEmpty,
            RecordingIdentifier.isValid(String(parts[3]))
        else { return nil }
        self.init(app: AppID(uid: uid, name: String(parts[2])), name: String(parts[3]))
    }
}

/// The known uploads: the status of each, and which changes of it are events. A pure state machine.
///
///     reported status                 event reported before   event now
///     waitingForPath, deferred        anything else           uploadPaused
///     idle, sending                   uploadPaused            uploadResumed
///     backingOff, blocked             anything else           uploadFailed, after uploadResumed if it was paused
///     more was sent                   started, paused,        uploadSucceeded
///                                     failed
///     more was rejected                                       uploadRejected, at most once a minute
///
/// An attempt that fails for the same reason as the previous one is no event, nor is a further accepted batch.
struct UploadRegistry {
    /// The maximum number of uploads of an app.
    static let mostOfApp = 64
    /// The maximum number of uploads of all apps of a user.
    static let mostOfUser = 256
    /// The interval in nanoseconds over which rejections are collected after an event.
    static let rejectionPause: UInt64 = 60_000_000_000

    /// The state that the last event reported.
    fileprivate enum ReportedState: Equatable {
        case working
        case held(state: UploadsInterface.State, reason: UploadsInterface.Reason?)
        case failing(state: UploadsInterface.State, reason: UploadsInterface.Reason?)

        var isHeld: Bool { if case .held = self { true } else { false } }
    }

    /// An upload.
    struct Entry {
        /// The status last reported by the uploader; nil before the first report.
        fileprivate(set) var status: UploadStatus?
        /// Whether its uploader is attached.
        fileprivate(set) var isRunning = false
        /// Whether an operator has paused it.
        fileprivate(set) var isPaused = false
        fileprivate var reported = ReportedState.working
        /// Whether the next accepted batch is an event.
        fileprivate var isSuccessNews = false
        /// Whether there are counts of this uploader with which the next report can be compared.
        fileprivate var isCounting = false
        /// The count that the recording had when the uploader attached. An uploader reports it as soon as it has opened
        /// the recording, which is no success.
        fileprivate var sentBefore: Int64 = 0
        fileprivate var rejections: Int64 = 0
        fileprivate var rejectionsDue: UInt64 = 0
    }

    private(set) var uploads: [UploadKey: Entry] = [:]

    /// Restores the uploads stored before a restart.
    mutating func restore(_ saved: [String: String]) {
        for (name, value) in saved {
            guard let key = UploadKey(savedName: name) else { continue }
            uploads[key] = Entry(isPaused: value == Self.savedPause)
        }
    }

    /// The stored value of an upload.
    static func saved(isPaused: Bool) -> String { isPaused ? savedPause : "known" }

    private static let savedPause = "paused"

    /// The uploads with this name, filtered by app and user if given, in order.
    func choose(_ name: String, app: String? = nil, uid: UInt32? = nil) -> [UploadKey] {
        uploads.keys.filter { key in
            key.name == name && (app.map { $0 == key.app.name } ?? true) && (uid.map { $0 == key.app.uid } ?? true)
        }.sorted()
    }

    /// Whether there is room for another upload.
    func hasRoom(for key: UploadKey) -> Bool {
        uploads.keys.count { $0.app == key.app } < Self.mostOfApp
            && uploads.keys.count { $0.app.uid == key.app.uid } < Self.mostOfUser
    }

    /// Called when an uploader attaches to a recording with this count of sent positions.
    mutating func attach(_ key: UploadKey, sent: Int64 = 0) -> Event {
        var entry = uploads[key] ?? Entry()
        entry.sentBefore = sent
        entry.isRunning = true
        entry.isCounting = false
        entry.reported = .working
        entry.isSuccessNews = true
        uploads[key] = entry
        return Event(.uploadStarted, key)
    }

    /// Called when an uploader detaches. Its last status is retained.
    mutating func detach(_ key: UploadKey) -> [Event] {
        guard uploads[key] != nil else { return [] }
        let events = drainRejections(of: key)
        uploads[key]?.isRunning = false
        return events
    }

    /// Applies an operator's pause or resumption, which is already in the journal.
    mutating func setPaused(_ isPaused: Bool, _ key: UploadKey) {
        uploads[key]?.isPaused = isPaused
        uploads[key]?.reported = .working
        uploads[key]?.isSuccessNews = true
    }

    /// Removes an upload.
    mutating func forget(_ key: UploadKey) { uploads[key] = nil }

    // Events

    /// Applies an uploader's report and returns the events to record. Times are nanoseconds of CLOCK_MONOTONIC.
    mutating func report(_ status: UploadStatus, of key: UploadKey, at now: UInt64) -> [Event] {
        var entry = uploads[key] ?? Entry()
        let before = entry.status
        entry.status = status
        var events: [Event] = []
        if let before, entry.isCounting {
            // An app may report any numbers, again and again.
            let more = entry.rejections.addingReportingOverflow(max(0, status.rejected - before.rejected))
            entry.rejections = more.overflow ? .max : more.partialValue
            if status.sent > max(before.sent, entry.sentBefore), entry.isSuccessNews {
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

    /// When `dueEvents` next returns something; nil if no rejections are collected.
    var nextDue: UInt64? { uploads.values.filter { $0.rejections > 0 }.map(\.rejectionsDue).min() }

    /// The events of rejections that were collected for long enough.
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
    /// Applies the status, and returns the events of its changes.
    fileprivate mutating func note(_ status: UploadStatus, _ key: UploadKey) -> [Event] {
        var events: [Event] = []
        let new: UploadRegistry.ReportedState
        let kind: EventKind
        switch status.state {
        case .idle, .sending:
            if reported.isHeld {
                reported = .working
                events.append(Event(.uploadResumed, key))
            }
            return events
        case .waitingForPath, .deferred:
            new = .held(state: status.state, reason: status.reason)
            kind = .uploadPaused
        case .backingOff, .blocked:
            if reported.isHeld { events.append(Event(.uploadResumed, key)) }
            new = .failing(state: status.state, reason: status.reason)
            kind = .uploadFailed
        default: return []
        }
        guard reported != new else { return [] }
        reported = new
        isSuccessNews = true
        var details: EventDetails = ["state": .text(status.state.rawValue)]
        if let reason = status.reason { details.append("reason", .text(reason.rawValue)) }
        // The last HTTP status may be an earlier response's if the destination has not responded to this attempt.
        if kind == .uploadFailed, let code = status.lastStatus, status.reason.map(Self.isAnswer) ?? false {
            details.append("status", .integer(Int64(code)))
        }
        return events + [Event(kind, key, details)]
    }

    /// Whether the reason of a failure comes from the destination's response.
    private static func isAnswer(_ reason: UploadsInterface.Reason) -> Bool {
        switch reason {
        case .status, .captive, .wrongAnswer, .refused, .unauthorized, .unknownDevice, .moved,
            .onlyPositionRejected, .everythingRejected:
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
    /// An event about an upload, with these details after its name.
    init(_ kind: EventKind, _ key: UploadKey, _ more: EventDetails = [:]) {
        var details: EventDetails = ["name": .text(key.name)]
        for entry in more.entries { details.append(entry.name, entry.value) }
        self.init(kind, app: key.app.name, uid: key.app.uid, details: details)
    }
}
