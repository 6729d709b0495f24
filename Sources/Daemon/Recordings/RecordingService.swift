import Authorization
import Interfaces
import Journal
import Location
import Platform
import Storage
import Varlink

/// `io.waymark.Recording`: apps start, read and acknowledge their recordings; operators list and erase them.
@DaemonActor
final class RecordingService: RecordingInterface.Handler {
    let registry: RecordingRegistry
    let authorizer: Authorizer
    let clients: Clients
    /// The calls of `Read` that are open: a connection has one call at a time.
    var readers: [ObjectIdentifier: RecordingReader] = [:]
    /// Readers queued for the storage thread.
    var turns: [RecordingReader] = []
    /// The number of replies being written.
    var reads = 0
    /// Readers that wait for a position.
    var waiting: [RecordingKey: [RecordingReader]] = [:]
    /// The number of waiting readers for which a further position is possible.
    var awaiting = 0
    /// Whether the journal was informed that readers wait.
    var isAwaited = false
    /// Readers that wait until the data is unlocked.
    var lockedReaders: [RecordingReader] = []
    /// The recordings whose next position could not be read for that reason when somebody last tried.
    var lockedRecordings: Set<RecordingKey> = []
    /// The number of recordings of each app whose start is not durable yet.
    private var beginning: [AppID: Int] = [:]
    /// Connections closed since the daemon's start because queued positions became unreadable for their app.
    var withdrawn = 0

    /// The maximum number of recordings of an app.
    static let mostRecordings = 16
    /// The maximum number of recordings of all apps of a user.
    static let mostRecordingsOfUser = 256
    /// The maximum stored length of a destination's message about a position, in bytes.
    private static let longestMessage = 1_024

    init(registry: RecordingRegistry, authorizer: Authorizer, clients: Clients) {
        self.registry = registry
        self.authorizer = authorizer
        self.clients = clients
    }

    /// The gate's decision about an app's stored rows; nil if no row may leave, in which case the call has failed.
    func decideReading(of app: AppID, for call: Call, _ session: ClientSession) -> RecordedDecision? {
        let decision = authorizer.decideRecorded(for: app)
        guard let reason = decision.refusal else { return decision }
        refuse(call, reason, session)
        return nil
    }

    // Starting and stopping

    func start(_ call: MethodCall<RecordingInterface.Start>) throws(RecordingInterface.Failure) {
        let (request, app) = (call.parameters, try app(of: call.call))
        guard RecordingIdentifier.isValid(request.identifier) else {
            throw .invalidIdentifier(
                message: "A recording's name has 1 to 128 letters, digits, dots, hyphens and underscores, not"
                    + " beginning with a dot.")
        }
        if let objection = authorizer.policy.manifests[app].recordingObjection {
            throw .notAllowed(message: objection)
        }
        let key = RecordingKey(app: app, identifier: request.identifier)
        let isNew = registry.recording(key) == nil
        if isNew {
            let inProgress = beginning.reduce(0) { $0 + ($1.key.uid == app.uid ? $1.value : 0) }
            guard registry.recordings(of: app).count + beginning[app, default: 0] < Self.mostRecordings,
                registry.count(of: app.uid) + inProgress < Self.mostRecordingsOfUser
            else {
                throw .tooManyRecordings(
                    message: "An app may have \(Self.mostRecordings) recordings, and all apps of a user together"
                        + " \(Self.mostRecordingsOfUser). Erase one that is not needed.")
            }
            beginning[app, default: 0] += 1
        }
        registry.start(key, request.options ?? RecordingOptions()) { [weak self, call = call.later] result in
            guard let self else { return }
            if isNew {
                beginning[app, default: 1] -= 1
                if beginning[app] == 0 { beginning[app] = nil }
            }
            call.answer { () throws(RecordingInterface.Failure) in .init(recording: try known(result, key)) }
        }
    }

    func stop(_ call: MethodCall<RecordingInterface.Stop>) throws(RecordingInterface.Failure) {
        let entry = try recording(call.parameters.identifier, of: try app(of: call.call))
        registry.stop(entry) { [weak self, call = call.later] result in
            guard let self else { return }
            call.answer { () throws(RecordingInterface.Failure) in
                .init(recording: try known(result, entry.stored.key))
            }
        }
    }

    private func known(
        _ result: Result<StoredRecording, StorageError>, _ key: RecordingKey
    ) throws(RecordingInterface.Failure) -> KnownRecording {
        if case .failure(let error) = result { throw .init(error, of: key.identifier) }
        guard let entry = registry.recording(key) else { throw .noSuchRecording(of: key.identifier) }
        return registry.known(entry)
    }

    func erase(_ call: MethodCall<RecordingInterface.Erase>) throws(RecordingInterface.Failure) {
        let (request, session) = (call.parameters, clients.session(of: call.connection))
        let app = session.process?.app.id
        let namesAnother = request.app.map { $0 != app?.name } ?? false || request.uid.map { $0 != app?.uid } ?? false
        if namesAnother || app == nil, !session.isOperator {
            guard namesAnother else { throw .noApp(session) }
            throw .notOperator(message: "Only operators may erase another app's recording.")
        }
        let all = app.map { namesAnother ? registry.all : registry.recordings(of: $0) } ?? registry.all
        let entry = try choose(request.identifier, request.app, request.uid, among: all)
        let isOwn = entry.stored.key.app == app
        let by = isOwn ? "app" : "operator \(call.connection.peer.userID)"
        registry.erase(entry, by: by) { [call = call.later] in
            switch $0 {
            case .success(let count): call.reply(.init(erased: Int64(count)))
            case .failure(let error): call.fail(.init(error, of: request.identifier))
            }
        }
    }

    /// The one recording that matches.
    /// - Throws: An error if none matches, or more than one.
    func choose(
        _ identifier: String, _ app: String?, _ uid: UInt32?, among all: [JournalRecording]
    ) throws(RecordingInterface.Failure) -> JournalRecording {
        let found = all.filter { entry in
            let key = entry.stored.key
            return key.identifier == identifier && app.map { $0 == key.app.name } ?? true
                && uid.map { $0 == key.app.uid } ?? true
        }
        guard let entry = found.first else { throw .noSuchRecording(of: identifier) }
        guard found.count == 1 else {
            let owners = found.prefix(5).map { $0.stored.key.app.description }.joined(separator: ", ")
            throw .appNeeded(message: "More than one recording is named \(identifier): of \(owners). Name the app.")
        }
        return entry
    }

    func list(_ call: MethodCall<RecordingInterface.List>) throws(RecordingInterface.Failure) {
        let session = clients.session(of: call.connection)
        let recordings: [JournalRecording]
        if let app = session.process?.app.id {
            recordings = registry.recordings(of: app)
        } else if session.isOperator {
            recordings = registry.all
        } else {
            throw .noApp(session)
        }
        call.reply(.init(recordings: recordings.map(registry.known)))
    }

    // Acknowledging and rejecting

    func acknowledge(_ call: MethodCall<RecordingInterface.Acknowledge>) throws(RecordingInterface.Failure) {
        let request = call.parameters
        let entry = try recording(request.identifier, of: try app(of: call.call))
        guard request.upTo <= entry.stored.last else { throw .noSuchPosition(request.upTo) }
        registry.journal.acknowledge(
            entry.stored.id, upTo: request.upTo, sent: request.sent ?? 0, filtered: request.filtered ?? 0
        ) { [call = call.later] result in
            DaemonActor.assumeIsolated {
                switch result {
                case .success(let number): call.reply(.init(acknowledged: number))
                case .failure(let error): call.fail(.init(error, of: request.identifier))
                }
            }
        }
    }

    func reject(_ call: MethodCall<RecordingInterface.Reject>) throws(RecordingInterface.Failure) {
        let request = call.parameters
        let entry = try recording(request.identifier, of: try app(of: call.call))
        registry.journal.reject(
            entry.stored.id, request.sequence, status: Int(request.status),
            message: request.message.beginning(bytes: Self.longestMessage)
        ) { [call = call.later] result in
            DaemonActor.assumeIsolated { call.answer(result, request.identifier, request.sequence) }
        }
    }

    func revive(_ call: MethodCall<RecordingInterface.Revive>) throws(RecordingInterface.Failure) {
        let request = call.parameters
        let entry = try recording(request.identifier, of: try app(of: call.call))
        registry.journal.revive(entry.stored.id, request.sequence) { [call = call.later] result in
            DaemonActor.assumeIsolated { call.answer(result, request.identifier, request.sequence) }
        }
    }

    func read(_ call: MethodCall<RecordingInterface.Read>) throws(RecordingInterface.Failure) {
        let session = clients.session(of: call.connection)
        let app = try app(of: call.call)
        // A one-way call has no reply, so nothing is read.
        if !call.call.request.oneway, let decision = decideReading(of: app, for: call.call, session) {
            read(call.call, call.parameters, session, app, decision)
        }
    }

    func readRejected(_ call: MethodCall<RecordingInterface.ReadRejected>) throws(RecordingInterface.Failure) {
        let session = clients.session(of: call.connection)
        if !call.call.request.oneway { try readRejected(call.call, call.parameters, session) }
    }

    // The calling app

    /// The app that made a call.
    private func app(of call: Call) throws(RecordingInterface.Failure) -> AppID {
        let session = clients.session(of: call.connection)
        guard let app = session.process?.app.id else { throw .noApp(session) }
        return app
    }

    func recording(_ identifier: String, of app: AppID) throws(RecordingInterface.Failure) -> JournalRecording {
        guard let entry = registry.recording(RecordingKey(app: app, identifier: identifier)) else {
            throw .noSuchRecording(of: identifier)
        }
        return entry
    }
}

// Failures

extension RecordingService {
    /// Ends a call with the gate's refusal.
    func refuse(_ call: Call, _ reason: Decision.Reason, _ session: ClientSession) {
        call.fail(reason, complaint: session.complaint)
    }
}

extension LateCall where Method.Failure == RecordingInterface.Failure, Method.Reply == EmptyReply {
    /// Replies to a call that stored the result of an upload.
    fileprivate func answer(_ result: Result<Void, StorageError>, _ identifier: String, _ sequence: Int64) {
        switch result {
        case .success: reply(EmptyReply())
        case .failure(let error) where error.reason == .noSuchPosition: fail(.noSuchPosition(sequence))
        case .failure(let error): fail(.init(error, of: identifier))
        }
    }
}

extension RecordingInterface.Failure {
    /// The error for a withheld position, with the next step.
    static func withheld(_ withholding: RecordedDecision.Withholding) -> Self {
        switch withholding {
        case .restriction:
            .withheld(
                message:
                    "A restriction of this machine forbids full accuracy. The next position was recorded with it."
                    + " It stays recorded and can be read when the restriction is lifted. See"
                    + " /etc/waymark/restrictions.d.")
        case .grant:
            .withheld(
                message:
                    "This app may have reduced positions only. The next position was recorded with full accuracy, and"
                    + " the manifest says RecordedAccuracy=present. It stays recorded and can be read when the app may"
                    + " have full accuracy again.")
        }
    }

    /// The error for a caller that is no app.
    @DaemonActor
    static func noApp(_ session: ClientSession) -> Self {
        let why = session.complaint ?? "no manifest fits this program"
        return .notAllowed(
            message: "Only apps have recordings, and this program is none: \(why). See `waymark manifest --help`.")
    }

    /// The error for a name that no recording of the caller has.
    static func noSuchRecording(of identifier: String) -> Self {
        .noSuchRecording(identifier: identifier, message: "There is no recording of this name. Start it first.")
    }

    /// The error for a sequence number that the recording does not have.
    static func noSuchPosition(_ sequence: Int64) -> Self {
        .noSuchPosition(sequence: sequence, message: "The recording has no position \(sequence).")
    }

    /// The error for a failure of the journal.
    init(_ error: StorageError, of identifier: String) {
        if error.reason == .noSuchRecording {
            self = .noSuchRecording(of: identifier)
        } else if error.reason == .protectedDataUnavailable {
            self = .protectedDataUnavailable(
                message: "The next position cannot be read at present, and is retained: \(error.message).")
        } else {
            self = .journalUnavailable(
                message: "The journal is unavailable: \(error.description). Nothing was changed. See `waymark"
                    + " status`.")
        }
    }
}

extension Manifest? {
    /// Why an app with this manifest may not record, for a person; nil if it may.
    fileprivate var recordingObjection: String? {
        guard let manifest = self else { return Decision.Reason.manifestMissing.message }
        guard manifest.mayRecord else {
            return
                "The manifest of this app does not say Record=yes, so its positions may not be recorded."
        }
        guard manifest.recordsForPurpose else {
            return "The manifest of this app says Record=yes without a purpose. It needs WhenInUseUsageDescription or"
                + " AlwaysAndWhenInUseUsageDescription."
        }
        return nil
    }
}

extension String {
    /// The longest prefix that fits in so many bytes of UTF-8.
    fileprivate func beginning(bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: bytes)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
