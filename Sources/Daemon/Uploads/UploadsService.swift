import Authorization
import Interfaces
import Journal
import Platform
import Varlink

/// `io.waymark.Uploads`: who carries recordings to their destinations, how that stands, and what operators want of it.
@DaemonActor
final class UploadsService: UploadsInterface.Handler {
    /// What a recording knows of itself that a list of uploads tells too.
    struct Backlog: Equatable {
        /// How many positions are neither acknowledged nor dead letters.
        var waiting: Int64 = 0
        /// When the oldest of these was, seconds since 1970.
        var oldestWaiting: Double?
        /// How many are dead letters.
        var deadLetters: Int64 = 0
        /// How many were dropped before they were acknowledged.
        var dropped: Int64 = 0
    }

    /// How a recording stands; nil where the app has none of this name.
    var backlog: @DaemonActor (UploadKey) -> Backlog? = { _ in nil }
    private let changes: Changes
    let authorizer: Authorizer
    let recorder: EventRecorder
    let journal: EventJournal
    let clock: any TimeSource
    var registry = UploadRegistry()
    /// The calls by which uploaders are told what to do.
    var attachments: [UploadKey: Call] = [:]
    private let stream: UploadStream
    private var timer: TimerSource?

    init(
        journal: EventJournal, recorder: EventRecorder, authorizer: Authorizer, changes: Changes,
        clock: any TimeSource
    ) throws(SystemError) {
        self.changes = changes
        self.journal = journal
        self.recorder = recorder
        self.authorizer = authorizer
        self.clock = clock
        stream = try UploadStream(clock: clock)
        timer = try TimerSource(accuracy: .seconds(1)) { [weak self] in self?.recordDue() }
        stream.read = { [weak self] in self?.list($0) ?? [] }
    }

    /// Takes up what was saved before a restart, before anybody is answered. What is not paused and has no recording is
    /// forgotten, where it is known which there are.
    func restore(_ saved: [String: String], recordings: Set<UploadKey>?) {
        registry.restore(saved)
        guard let recordings else { return }
        for (key, entry) in registry.uploads where !entry.isPaused && !recordings.contains(key) { forget(key) }
    }

    // Who sees what

    func list(_ call: MethodCall<UploadsInterface.List>) throws(UploadsInterface.Failure) {
        guard let scope = scope(of: call.call) else { throw Self.stranger }
        call.reply(.init(uploads: list(scope.keys(in: registry.uploads.keys))))
    }

    func monitor(_ call: MethodCall<UploadsInterface.Monitor>) throws(UploadsInterface.Failure) {
        guard let scope = scope(of: call.call) else { throw Self.stranger }
        stream.add(call.call, scope, known: Set(registry.uploads.keys))
    }

    private func scope(of call: Call) -> UploadScope? {
        let session = authorizer.session(of: call.connection)
        if let app = session.process?.app.id { return .app(app) }
        return session.isOperator ? .everything : nil
    }

    private static let stranger = UploadsInterface.Failure.notOperator(
        message:
            "Uploads are for operators: root, the daemon's user and members of the operators' group. An app sees its"
            + " own.")

    /// Who a client is may have changed: those end that were told what they may not see any more, or carry another app's
    /// recordings.
    func review() {
        for (key, call) in attachments where authorizer.identity(of: call.connection).app != key.app {
            let message = "This program is not known as the app \(key.app.name) any more."
            call.fail(UploadsInterface.Failure.notAllowed(message: message))
            detach(call, key)
        }
        stream.end(unless: { scope(of: $0) == $1 }, { $0.fail(Self.stranger) })
    }

    /// How these uploads stand, in order.
    func list(_ keys: some Sequence<UploadKey>) -> [KnownUpload] { keys.sorted().compactMap(upload) }

    /// How an upload stands.
    func upload(_ key: UploadKey) -> KnownUpload? {
        guard let entry = registry.uploads[key] else { return nil }
        let backlog = backlog(key) ?? Backlog()
        return KnownUpload(
            name: key.name, app: key.app.name, uid: key.app.uid, isRunning: entry.isRunning, isPaused: entry.isPaused,
            status: entry.status ?? UploadStatus(state: "waitingForRecording"), waiting: backlog.waiting,
            oldestWaiting: backlog.oldestWaiting, deadLetters: backlog.deadLetters, dropped: backlog.dropped)
    }

    /// What status tells.
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
            let isFailing = entry.status?.state == "backingOff" || entry.status?.state == "blocked"
            if isFailing, !entry.isPaused { status.failing += 1 }
        }
        return status
    }

    // What changes

    /// A recording has changed: it matters to who watches its upload.
    func recordingChanged(_ key: UploadKey) {
        if stream.isWatched, registry.uploads[key] != nil { stream.changed(key) }
    }

    /// A recording is no more: an upload that nobody carries is forgotten with it.
    func recordingErased(_ key: UploadKey) {
        guard let entry = registry.uploads[key], !entry.isRunning else { return changed(key) }
        forget(key)
    }

    /// Forgets an upload, durably.
    func forget(_ key: UploadKey) {
        registry.forget(key)
        journal.append([], changes: [.value(key.savedName, nil)]) { _ in }
        changes.report(.statusDetailChanged)
    }

    /// Something about an upload has changed.
    func changed(_ key: UploadKey) {
        stream.changed(key)
        changes.report(.statusDetailChanged)
    }

    /// Records what an uploader's app has caused, within bounds.
    func record(_ events: [Event]) {
        for event in events { authorizer.recordBounded(event) }
        if let due = registry.nextDue { timer?.arm(at: due) } else { timer?.disarm() }
    }

    private func recordDue() { record(registry.dueEvents(at: clock.monotonicNanoseconds)) }
}

/// Which uploads a client sees.
enum UploadScope: Equatable {
    /// All: an operator's.
    case everything
    /// Its own: an app's.
    case app(AppID)

    /// Those of these that are among them.
    func keys(in keys: some Sequence<UploadKey>) -> [UploadKey] {
        switch self {
        case .everything: Array(keys)
        case .app(let app): keys.filter { $0.app == app }
        }
    }
}
