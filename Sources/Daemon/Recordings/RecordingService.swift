import Authorization
import Interfaces
import JSONText
import Journal
import Location
import Platform
import Varlink

/// `io.waymark.Recording`: lets apps start, read and acknowledge their recordings, and operators list and erase them.
@DaemonActor
final class RecordingService {
    let keeper: RecordingKeeper
    let authorizer: Authorizer
    /// The calls of `Read` that are open: a connection has one call at a time.
    var readers: [ObjectIdentifier: RecordingReader] = [:]
    /// Those that wait for their turn.
    var turns: [RecordingReader] = []
    /// How many replies are being written now.
    var reads = 0
    /// Those that wait for a position.
    var waiting: [RecordingKey: [RecordingReader]] = [:]
    /// How many of those there may be a position for.
    var awaiting = 0
    /// Whether the journal was told that somebody waits.
    var isAwaited = false
    /// How many recordings an app is about to begin.
    private var beginning: [AppID: Int] = [:]
    /// Calls refused since the start.
    private(set) var refused = 0
    /// Connections closed since the start because positions that may not be read any more waited to be sent.
    var withdrawn = 0

    /// How many recordings an app may have.
    static let mostRecordings = 16
    /// How many recordings all apps of a user may have.
    static let mostRecordingsOfUser = 256

    init(keeper: RecordingKeeper, authorizer: Authorizer) {
        self.keeper = keeper
        self.authorizer = authorizer
    }

    /// Answers a call, now or later.
    func handle(_ call: Call) {
        guard let method = RecordingMethod(rawValue: call.request.method) else {
            return call.fail(ServiceError.methodNotImplemented(call.request.method))
        }
        authorizer.whenReady(for: call.connection.peer.userID) { [weak self] in
            guard let self, !call.isOver || call.request.oneway, call.connection.isOpen else { return }
            let session = authorizer.session(of: call.connection)
            do throws(ParameterError) { try start(call, method, session) } catch { call.fail(error) }
        }
    }

    private func start(_ call: Call, _ method: RecordingMethod, _ session: ClientSession) throws(ParameterError) {
        switch method {
        case .list: return list(call, session)
        case .erase: return erase(call, try EraseRecordingRequest(call.parameters), session)
        case .readRejected:
            let request = try ReadRejectedRequest(call.parameters)
            // Of positions that nobody hears of nothing remains to be done.
            if !call.request.oneway { readRejected(call, request, session) }
            return
        default: break
        }
        guard let app = session.process?.app.id else { return failNoApp(call, session) }
        switch method {
        case .start: begin(call, try StartRecordingRequest(call.parameters), app)
        case .stop: stop(call, try RecordingRequest(call.parameters), app)
        case .acknowledge: acknowledge(call, try AcknowledgeRequest(call.parameters), app)
        case .reject: reject(call, try RejectRequest(call.parameters), app)
        case .revive: revive(call, try ReviveRequest(call.parameters), app)
        case .read:
            let request = try ReadRecordingRequest(call.parameters)
            // Of positions that nobody hears of nothing remains to be done.
            if !call.request.oneway, let decision = decideReading(of: app, for: call, session) {
                read(call, request, session, app, decision)
            }
        case .list, .erase, .readRejected: break
        }
    }

    /// The gate's decision about an app's stored rows; nil where it is that none may leave, by which the call has failed.
    func decideReading(of app: AppID, for call: Call, _ session: ClientSession) -> RecordedDecision? {
        let decision = authorizer.decideRecorded(for: app)
        guard let reason = decision.refusal else { return decision }
        refuse(call, reason, session)
        return nil
    }

    // Beginning and ending

    private func begin(_ call: Call, _ request: StartRecordingRequest, _ app: AppID) {
        guard RecordingIdentifier.isValid(request.identifier) else {
            return call.fail(
                ErrorName.invalidIdentifier.rawValue,
                message: "A recording is called by 1 to 128 letters, digits, dots, hyphens and underscores, not"
                    + " beginning with a dot.")
        }
        if let objection = authorizer.policy.manifests[app].recordingObjection {
            refused += 1
            return call.fail(ErrorName.recordingNotAllowed.rawValue, message: objection)
        }
        let key = RecordingKey(app: app, identifier: request.identifier)
        let isNew = keeper.recording(key) == nil
        if isNew {
            let underWay = beginning.reduce(0) { $0 + ($1.key.uid == app.uid ? $1.value : 0) }
            guard keeper.recordings(of: app).count + beginning[app, default: 0] < Self.mostRecordings,
                keeper.count(of: app.uid) + underWay < Self.mostRecordingsOfUser
            else {
                return call.fail(
                    ErrorName.tooManyRecordings.rawValue,
                    message: "An app may have \(Self.mostRecordings) recordings, and all apps of a user"
                        + " \(Self.mostRecordingsOfUser): erase one that is not needed.")
            }
            beginning[app, default: 0] += 1
        }
        keeper.start(key, request.options) { [weak self, weak call] result in
            guard let self else { return }
            if isNew {
                beginning[app, default: 1] -= 1
                if beginning[app] == 0 { beginning[app] = nil }
            }
            if let call { answer(call, result, key) }
        }
    }

    private func stop(_ call: Call, _ request: RecordingRequest, _ app: AppID) {
        guard let kept = recording(request.identifier, of: app, for: call) else { return }
        keeper.stop(kept) { [weak self, weak call] result in
            if let call { self?.answer(call, result, kept.stored.key) }
        }
    }

    private func answer(_ call: Call, _ result: Result<StoredRecording, JournalError>, _ key: RecordingKey) {
        switch result {
        case .failure(let error): fail(call, error, key.identifier)
        case .success:
            guard let kept = keeper.recording(key) else { return failNoSuchRecording(call, key.identifier) }
            let known = keeper.known(kept)
            call.reply { writer in
                writer.key("recording")
                known.write(to: &writer)
            }
        }
    }

    private func erase(_ call: Call, _ request: EraseRecordingRequest, _ session: ClientSession) {
        let app = session.process?.app.id
        let namesAnother = request.app.map { $0 != app?.name } ?? false || request.uid.map { $0 != app?.uid } ?? false
        if namesAnother || app == nil, !session.isOperator {
            guard namesAnother else { return failNoApp(call, session) }
            return refuse(
                call, .recordingNotOperator, "Only operators may erase what another app has recorded.")
        }
        let all = app.map { namesAnother ? keeper.all : keeper.recordings(of: $0) } ?? keeper.all
        guard let kept = choose(request.identifier, request.app, request.uid, among: all, for: call) else { return }
        let isOwn = kept.stored.key.app == app
        keeper.erase(kept, by: isOwn ? "app" : "operator \(call.connection.peer.userID)") { [weak self, weak call] in
            guard let self, let call else { return }
            switch $0 {
            case .success(let count): call.reply { $0.member("erased", count) }
            case .failure(let error): fail(call, error, request.identifier)
            }
        }
    }

    /// The one recording that is meant; nil where that is not clear, which the call has been told then.
    func choose(
        _ identifier: String, _ app: String?, _ uid: UInt32?, among all: [KeptRecording], for call: Call
    ) -> KeptRecording? {
        let found = all.filter { kept in
            let key = kept.stored.key
            return key.identifier == identifier && app.map { $0 == key.app.name } ?? true
                && uid.map { $0 == key.app.uid } ?? true
        }
        guard let kept = found.first else {
            failNoSuchRecording(call, identifier)
            return nil
        }
        guard found.count == 1 else {
            let owners = found.prefix(5).map { $0.stored.key.app.description }.joined(separator: ", ")
            call.fail(
                ErrorName.recordingAppNeeded.rawValue,
                message: "There is more than one recording \(identifier), of \(owners): say which.")
            return nil
        }
        return kept
    }

    private func list(_ call: Call, _ session: ClientSession) {
        let recordings: [KeptRecording]
        if let app = session.process?.app.id {
            recordings = keeper.recordings(of: app)
        } else if session.isOperator {
            recordings = keeper.all
        } else {
            return failNoApp(call, session)
        }
        call.reply { writer in
            writer.array("recordings") { writer in
                for kept in recordings { keeper.known(kept).write(to: &writer) }
            }
        }
    }

    // What became of positions

    private func acknowledge(_ call: Call, _ request: AcknowledgeRequest, _ app: AppID) {
        guard let kept = recording(request.identifier, of: app, for: call) else { return }
        guard request.upTo <= kept.stored.last else {
            return failNoSuchPosition(call, request.upTo)
        }
        keeper.journal.acknowledge(kept.stored.id, upTo: request.upTo) { [weak self, weak call] result in
            DaemonActor.assumeIsolated {
                guard let self, let call else { return }
                switch result {
                case .success(let number): call.reply { $0.member("acknowledged", number) }
                case .failure(let error): self.fail(call, error, request.identifier)
                }
            }
        }
    }

    private func reject(_ call: Call, _ request: RejectRequest, _ app: AppID) {
        guard let kept = recording(request.identifier, of: app, for: call) else { return }
        keeper.journal.reject(
            kept.stored.id, request.sequence, status: request.status, message: request.message
        ) { [weak self, weak call] result in
            DaemonActor.assumeIsolated {
                guard let call else { return }
                self?.answer(call, result, request.identifier, request.sequence)
            }
        }
    }

    private func revive(_ call: Call, _ request: ReviveRequest, _ app: AppID) {
        guard let kept = recording(request.identifier, of: app, for: call) else { return }
        keeper.journal.revive(kept.stored.id, request.sequence) { [weak self, weak call] result in
            DaemonActor.assumeIsolated {
                guard let call else { return }
                self?.answer(call, result, request.identifier, request.sequence)
            }
        }
    }

    private func answer(
        _ call: Call, _ result: Result<Void, JournalError>, _ identifier: String, _ sequence: Int64
    ) {
        switch result {
        case .success: call.reply { _ in }
        case .failure(let error) where error.reason == .noSuchPosition: failNoSuchPosition(call, sequence)
        case .failure(let error): fail(call, error, identifier)
        }
    }

    func recording(_ identifier: String, of app: AppID, for call: Call) -> KeptRecording? {
        let kept = keeper.recording(RecordingKey(app: app, identifier: identifier))
        if kept == nil { failNoSuchRecording(call, identifier) }
        return kept
    }
}

// How calls fail

extension RecordingService {
    /// Ends a call with the gate's refusal.
    func refuse(_ call: Call, _ reason: Decision.Reason, _ session: ClientSession) {
        refused += 1
        call.fail(reason, complaint: session.complaint)
    }

    /// Ends a call because the next position is withheld, with what to do.
    func refuse(_ call: Call, _ withholding: RecordedDecision.Withholding) {
        let message =
            switch withholding {
            case .restriction:
                "A restriction of this machine forbids full accuracy, and the next position was recorded with it. It stays"
                    + " recorded, and can be read when the restriction is lifted: see /etc/waymark/restrictions.d."
            case .grant:
                "This app may have reduced positions only, the next position was recorded with full accuracy, and the"
                    + " manifest says RecordedAccuracy=present. It stays recorded, and can be read when the app may have"
                    + " full accuracy again."
            }
        refuse(call, .recordingWithheld, message)
    }

    /// Ends a call because its caller may not have what it asks for.
    func refuse(_ call: Call, _ error: ErrorName, _ message: String) {
        refused += 1
        call.fail(error.rawValue, message: message)
    }

    func failNoApp(_ call: Call, _ session: ClientSession) {
        refused += 1
        let why = session.complaint.map { " (\($0))" } ?? ""
        call.fail(
            ErrorName.recordingNotAllowed.rawValue,
            message: "Only apps have recordings, and no manifest fits this program\(why): see `waymark manifest"
                + " --help`.")
    }

    func failNoSuchRecording(_ call: Call, _ identifier: String) {
        call.fail(
            ErrorName.noSuchRecording.rawValue, message: "There is no recording of this name: start it first.",
            parameters: [JSON.Member("identifier", .string(identifier))])
    }

    private func failNoSuchPosition(_ call: Call, _ sequence: Int64) {
        call.fail(
            ErrorName.noSuchPosition.rawValue, message: "The recording has no position \(sequence).",
            parameters: [JSON.Member("sequence", .integer(sequence))])
    }

    /// Ends a call that the journal did not carry out.
    func fail(_ call: Call, _ error: JournalError, _ identifier: String) {
        if error.reason == .noSuchRecording { return failNoSuchRecording(call, identifier) }
        call.fail(
            ErrorName.recordingJournalUnavailable.rawValue,
            message: "The journal cannot be used now: \(error.description). Nothing was changed. See `waymark status`.")
    }
}

extension Manifest? {
    /// Why an app with this manifest may not record, for a person; nil where it may.
    fileprivate var recordingObjection: String? {
        guard let manifest = self else { return Decision.Reason.manifestMissing.message }
        guard manifest.mayRecord else {
            return
                "The manifest of this app does not say Record=yes: it may have positions, and not have them recorded."
        }
        guard manifest.recordsForPurpose else {
            return "The manifest of this app says Record=yes, and not what for: it needs WhenInUseUsageDescription or"
                + " AlwaysAndWhenInUseUsageDescription."
        }
        return nil
    }
}
