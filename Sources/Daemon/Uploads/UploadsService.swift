import Authorization
import Interfaces
import Journal
import Platform
import Varlink

/// `io.waymark.Uploads`: the uploaders of recordings, their status, and the commands of operators.
@DaemonActor
final class UploadsService: UploadsInterface.Handler {
    /// The part of a recording's state that a list of uploads includes.
    struct Backlog: Equatable {
        /// The number of positions neither acknowledged nor dead letters.
        var waiting: Int64 = 0
        /// The time of the oldest of these, seconds since 1970.
        var oldestWaiting: Double?
        /// The number of dead letters.
        var deadLetters: Int64 = 0
        /// The number of positions dropped before they were acknowledged.
        var dropped: Int64 = 0
        /// The number of acknowledged positions that the destination has accepted.
        var sent: Int64 = 0
        /// The number of acknowledged positions that the filter of the destination has left out.
        var filtered: Int64 = 0
    }

    private let recordings: RecordingRegistry
    /// Knows which recordings are locked.
    weak var readers: RecordingService?
    private let changes: Changes
    let clients: Clients
    let recorder: ClientRecorder
    let journal: EventJournal
    let clock: any TimeSource
    var registry = UploadRegistry()
    /// The calls over which uploaders receive commands.
    var attachments: [UploadKey: Call] = [:]
    private let stream: UploadStream
    private var timer: TimerSource?

    init(
        journal: EventJournal, recorder: ClientRecorder, clients: Clients, recordings: RecordingRegistry,
        changes: Changes, clock: any TimeSource
    ) throws(SystemError) {
        self.changes = changes
        self.journal = journal
        self.recorder = recorder
        self.clients = clients
        self.recordings = recordings
        self.clock = clock
        stream = try UploadStream(clock: clock)
        timer = try TimerSource(accuracy: .seconds(1)) { [weak self] in self?.recordDue() }
        stream.service = self
    }

    /// Restores the uploads stored before a restart, before any call is handled. Removes uploads without a recording
    /// that are not paused, if the recordings are known.
    func restore(_ saved: [String: String], recordings: Set<UploadKey>?) {
        registry.restore(saved)
        guard let recordings else { return }
        for (key, entry) in registry.uploads where !entry.isPaused && !recordings.contains(key) { forget(key) }
    }

    // Visibility

    func list(_ call: MethodCall<UploadsInterface.List>) throws(UploadsInterface.Failure) {
        guard let scope = scope(of: call.call) else { throw Self.stranger }
        call.reply(.init(uploads: list(scope.keys(in: registry.uploads.keys))))
    }

    func monitor(_ call: MethodCall<UploadsInterface.Monitor>) throws(UploadsInterface.Failure) {
        guard let scope = scope(of: call.call) else { throw Self.stranger }
        stream.add(call.call, scope, known: Set(registry.uploads.keys))
    }

    private func scope(of call: Call) -> AppScope? {
        let session = clients.session(of: call.connection)
        if let app = session.process?.app.id { return .app(app) }
        return session.isOperator ? .everything : nil
    }

    private static let stranger = UploadsInterface.Failure.notOperator(
        message:
            "Uploads are for operators: root, the daemon's user and members of the operators' group. An app sees its"
            + " own.")

    /// Ends calls whose client's identity has changed: those that may not see the uploads any more, and those attached
    /// to another app's recordings.
    func review() {
        for (key, call) in attachments where clients.identity(of: call.connection).app != key.app {
            let message = "This program is not known as the app \(key.app.name) any more."
            call.fail(UploadsInterface.Failure.notAllowed(message: message))
            detach(call, key)
        }
        stream.end(unless: { scope(of: $0) == $1 }, { $0.fail(Self.stranger) })
    }

    /// The pending part of a recording; nil if the app has no recording with this name.
    func backlog(_ key: UploadKey) -> Backlog? {
        recordings.recording(RecordingKey(key)).map { Backlog($0.stored) }
    }

    /// The status of these uploads, in order.
    func list(_ keys: some Sequence<UploadKey>) -> [KnownUpload] { keys.sorted().compactMap(upload) }

    /// The status of an upload.
    func upload(_ key: UploadKey) -> KnownUpload? {
        guard let entry = registry.uploads[key] else { return nil }
        let backlog = backlog(key) ?? Backlog()
        var status = entry.status ?? UploadStatus(state: .waitingForRecording)
        // An uploader does not know why it cannot read.
        if entry.isRunning, status.mayBeCausedByLock, readers?.isLocked(RecordingKey(key)) == true {
            status.state = .waitingForRecording
            status.reason = .protectedDataUnavailable
            status.message =
                "The recorded positions are locked. Sending resumes automatically when somebody unlocks them: waymark unlock."
        }
        // An uploader does not know the counts before it has opened the recording.
        status.sent = max(status.sent, backlog.sent)
        status.filtered = max(status.filtered, backlog.filtered)
        return KnownUpload(
            name: key.name, app: key.app.name, uid: key.app.uid, isRunning: entry.isRunning, isPaused: entry.isPaused,
            status: status, waiting: backlog.waiting,
            oldestWaiting: backlog.oldestWaiting, deadLetters: backlog.deadLetters, dropped: backlog.dropped)
    }

    /// The uploads' part of the daemon's status.
    var status: DaemonStatus.Uploads {
        var status = DaemonStatus.Uploads()
        for (key, entry) in registry.uploads {
            status.count += 1
            if entry.isPaused { status.paused += 1 }
            if !entry.isRunning {
                status.abandoned += backlog(key)?.waiting ?? 0
                continue
            }
            status.running += 1
            let isFailing = entry.status?.state == .backingOff || entry.status?.state == .blocked
            if isFailing, !entry.isPaused { status.failing += 1 }
        }
        return status
    }

    // Changes

    /// Whether a recording has an upload, running or not.
    func hasUpload(_ key: UploadKey) -> Bool { registry.uploads[key] != nil }

    /// Called when the data was locked or unlocked, which changes the status of uploads that wait for it.
    func protectedDataChanged() {
        guard stream.isWatched else { return }
        for key in registry.uploads.keys { stream.changed(key) }
    }

    /// Called when a recording has changed, which changes its upload's backlog.
    func recordingChanged(_ key: UploadKey) {
        if stream.isWatched, registry.uploads[key] != nil { stream.changed(key) }
    }

    /// Called when a recording was erased. An upload without an uploader is removed with it.
    func recordingErased(_ key: UploadKey) {
        guard let entry = registry.uploads[key], !entry.isRunning else { return changed(key) }
        forget(key)
    }

    /// Removes an upload, durably.
    func forget(_ key: UploadKey) {
        registry.forget(key)
        journal.append([], changes: [.value(key.savedName, nil)]) { _ in }
        changes.report(.statusDetailChanged)
    }

    /// Called when an upload has changed.
    func changed(_ key: UploadKey) {
        stream.changed(key)
        changes.report(.statusDetailChanged)
    }

    /// Records events caused by an uploader's app, within limits.
    func record(_ events: [Event]) {
        for event in events { recorder.record(event) }
        if let due = registry.nextDue { timer?.arm(at: due) } else { timer?.disarm() }
    }

    private func recordDue() { record(registry.dueEvents(at: clock.monotonicNanoseconds)) }
}

extension AppScope {
    /// The uploads that are in this scope.
    func keys(in keys: some Sequence<UploadKey>) -> [UploadKey] {
        switch self {
        case .everything: Array(keys)
        case .app(let app): keys.filter { $0.app == app }
        }
    }
}

extension UploadStatus {
    /// Whether a locked recording may be the only reason for this status. An uploader that has opened the recording waits for
    /// the first report of the path, then is idle, while its read waits for an unlocking.
    fileprivate var mayBeCausedByLock: Bool {
        switch state {
        case .waitingForRecording, .idle: true
        case .waitingForPath: reason == nil
        default: false
        }
    }
}
