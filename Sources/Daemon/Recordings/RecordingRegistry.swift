import Authorization
import Interfaces
import Journal
import Location
import Platform
import Storage

/// Delivers every fix to the recordings for which it is due, after evaluating the gate for each, whether or not their
/// apps run. The receiver is needed only while some recording may record.
@DaemonActor
final class RecordingRegistry {
    let journal: EventJournal
    let protections: UserProtections
    let authorizer: Authorizer
    /// Decides which recordings are uploaded.
    weak var uploads: UploadsService?
    let recorder: ClientRecorder
    private let prompts: Prompts
    private let readiness: Readiness
    let changes: Changes
    /// The classes that the journal has.
    var classes: [RecordingID: ProtectionClass] = [:]
    /// Whether it seals rows of stricter classes again.
    var lowersClasses = false
    private let ledger: PositionLedger
    private let receivers: any PositionReceivers
    private(set) var recordings: [AppID: [String: JournalRecording]] = [:]
    /// Recordings loaded from the journal before the authorizations were loaded.
    private var unjudged: [StoredRecording] = []
    /// Recordings that need the full feed; likewise the reduced one.
    private var full: [JournalRecording] = []
    private var reduced: [JournalRecording] = []
    /// Why some recordings could not be read at the start.
    private(set) var loss: StorageError?
    /// Whether the journal can store positions at present.
    private var stores = false
    /// Why the journal cannot store positions, for a person.
    private var problem: String?

    init(
        journal: EventJournal, protections: UserProtections, authorizer: Authorizer, prompts: Prompts,
        readiness: Readiness,
        recorder: ClientRecorder, ledger: PositionLedger, changes: Changes, receivers: any PositionReceivers
    ) {
        self.changes = changes
        self.journal = journal
        self.protections = protections
        self.authorizer = authorizer
        self.prompts = prompts
        self.readiness = readiness
        self.recorder = recorder
        self.ledger = ledger
        self.receivers = receivers
        readiness.recordings = self
    }

    // Queries

    /// The recording with this key.
    func recording(_ key: RecordingKey) -> JournalRecording? {
        guard let entry = recordings[key.app]?[key.identifier], !entry.isRevoked else { return nil }
        return entry
    }

    /// The recordings of an app.
    func recordings(of app: AppID) -> [JournalRecording] {
        (recordings[app] ?? [:]).values.filter { !$0.isRevoked }
            .sorted { $0.stored.key.identifier < $1.stored.key.identifier }
    }

    /// The recordings of all apps, by app, user and identifier.
    var all: [JournalRecording] {
        recordings.keys.sorted { ($0.name, $0.uid) < ($1.name, $1.uid) }.flatMap { recordings(of: $0) }
    }

    /// The recordings of a user's apps, by app and identifier.
    func all(of uid: UInt32) -> [JournalRecording] { all.filter { $0.stored.key.app.uid == uid } }

    /// Whether the apps of a user have recordings.
    func hasRecordings(of uid: UInt32) -> Bool { recordings.keys.contains { $0.uid == uid } }

    /// How many recordings the apps of a user have.
    func count(of uid: UInt32) -> Int {
        recordings.reduce(0) { $0 + ($1.key.uid == uid ? $1.value.count : 0) }
    }

    /// The description of a recording for the interface.
    func known(_ entry: JournalRecording) -> KnownRecording {
        KnownRecording(entry.stored, state: state(of: entry), protection(of: entry.stored.key))
    }

    /// The present state of a recording.
    func state(of entry: JournalRecording) -> RecordingState {
        entry.track.state(hasPositions: receivers.hasPosition(entry.feed), stores: stores)
    }

    // Reports of the journal

    /// Adds the stored recordings. They take effect when the authorizations are loaded, and before any call that waits
    /// for these is handled.
    func load(_ loaded: LoadedRecordings) {
        loss = loaded.loss
        if let error = loaded.loss { Log.error("some recordings could not be read: \(error)") }
        unjudged = loaded.recordings
        evaluate()
    }

    private func evaluate() {
        guard authorizer.isLoaded, !unjudged.isEmpty else { return }
        for stored in unjudged { add(stored, isOlder: true) }
        unjudged = []
        // Buffered positions are recorded when the apps of all recordings are known.
        for uid in Set(recordings.keys.map(\.uid)) { readiness.whenReady(for: uid) {} }
        for entry in all { erase(ifRevoked: entry) }
        changes.report(.statusDetailChanged)
    }

    /// Applies changes of recordings in the journal. The argument lists all recordings, so a missing one was removed.
    func stored(_ all: [StoredRecording]) {
        for stored in all { apply(stored) }
        let ids = Set(all.map(\.id))
        for entry in recordings.values.flatMap(\.values) {
            if !ids.contains(entry.stored.id) { remove(entry) } else if entry.isRevoked { erase(entry) }
        }
        changes.report(.statusDetailChanged)
    }

    func apply(_ stored: StoredRecording) {
        guard let entry = recordings[stored.key.app]?[stored.key.identifier], entry.stored.id == stored.id else {
            return add(stored, isOlder: false)
        }
        let old = entry.stored
        guard stored != old else { return }
        entry.stored = stored
        if stored.isStarted != old.isStarted || stored.options != old.options { begin(entry) }
        changes.report(.recordingChanged(entry))
    }

    /// Applies the journal's state: whether it stores what it receives.
    func journalChanged(to journal: DaemonStatus.Journal) {
        stores = journal.state == .running
        problem = stores || journal.state == .opening ? nil : journal.reason ?? "no reason known"
        guard stores else { return }
        // A failed erasure may succeed now.
        for entry in recordings.values.flatMap(\.values) where entry.isRevoked { erase(entry) }
    }

    /// Removes a recording that was erased.
    func erased(_ key: RecordingKey, id: RecordingID, _ events: [Event] = []) {
        for event in events { recorder.events.notify(event) }
        guard let entry = recordings[key.app]?[key.identifier], entry.stored.id == id else { return }
        remove(entry)
    }

    private func add(_ stored: StoredRecording, isOlder: Bool) {
        if let old = recordings[stored.key.app]?[stored.key.identifier] { remove(old) }
        let entry = JournalRecording(stored, verdict(of: stored.key, at: authorizer.instant), isOlder: isOlder)
        recordings[stored.key.app, default: [:]][stored.key.identifier] = entry
        use(entry)
        updateClasses()
        changes.report(.recordingChanged(entry))
    }

    private func remove(_ entry: JournalRecording) {
        let app = entry.stored.key.app
        entry.track.stop()
        use(entry)
        recordings[app]?[entry.stored.key.identifier] = nil
        if recordings[app]?.isEmpty == true { recordings[app] = nil }
        changes.report(.recordingReadersChanged(app))
        changes.report(.recordingErased(entry.stored.key))
        changes.report(.statusDetailChanged)
    }

    /// Applies a start, a stop or changed options.
    private func begin(_ entry: JournalRecording) {
        let stored = entry.stored
        entry.track = RecordingTrack(
            stored.options, isStarted: stored.isStarted, verdict(of: stored.key, at: authorizer.instant))
        use(entry)
        erase(ifRevoked: entry)
    }

    // Changes of authorization

    /// Evaluates an app's recordings again because its authorization may have changed.
    func review(_ app: AppID) {
        guard recordings[app] != nil else { return }
        updateClasses()
        let now = authorizer.instant
        for entry in recordings(of: app) { review(entry, verdict(of: entry.stored.key, at: now)) }
        changes.report(.recordingReadersChanged(app))
    }

    /// Evaluates all recordings again.
    func reviewAll() {
        evaluate()
        for app in Array(recordings.keys) { review(app) }
    }

    /// Erases an app's recordings if its grant was revoked. Called for any changed decision, even if it does not change
    /// what the app is allowed at present.
    func grantChanged(of app: AppID) {
        for entry in recordings(of: app) { erase(ifRevoked: entry) }
    }

    private func review(_ entry: JournalRecording, _ verdict: RecordingVerdict) {
        let change = entry.track.review(verdict)
        use(entry)
        erase(ifRevoked: entry)
        guard change != .nothing, !entry.isRevoked else { return }
        changes.report(.statusDetailChanged)
        switch change {
        case .nothing: break
        case .paused(let state):
            recorder.record(Self.event(.recordingPaused, entry.stored.key, "reason", state.rawValue))
        case .resumed: recorder.record(Self.event(.recordingResumed, entry.stored.key))
        }
    }

    private func verdict(of key: RecordingKey, at now: Instant) -> RecordingVerdict {
        let policy = authorizer.policy
        let app = key.app
        return RecordingVerdict(
            decision: policy.decideRecording(for: app, at: now),
            manifestAllows: policy.manifests[app].map(\.recordsForPurpose),
            accuracy: policy.authorizationState(for: app, at: now).accuracy == .full ? .full : .reduced,
            isLocked: !canWrite(key))
    }

    /// Requests the receiver feed that a recording needs, and releases the former one.
    private func use(_ entry: JournalRecording) {
        let old = entry.feed
        let new = entry.track.feed
        guard new != old else { return }
        entry.feed = new
        receivers.need(new)
        switch old {
        case .none: break
        case .full: full.removeAll { $0 === entry }
        case .reduced: reduced.removeAll { $0 === entry }
        }
        receivers.release(old)
        switch new {
        case .none: break
        case .full: full.append(entry)
        case .reduced:
            reduced.append(entry)
            // The next reduced position follows up to twenty minutes later.
            guard let shown = receivers.shownReduced else { break }
            if entry.isOlder, shown.isRestored { entry.track.skip(shown.fix) } else { deliver(shown.fix, to: [entry]) }
        }
    }

    // Revocation

    /// Erases a recording whose app lost its authorization, if the app's options say so.
    private func erase(ifRevoked entry: JournalRecording) {
        guard !entry.isRevoked, entry.stored.options.onRevoke == .erase, entry.stored.last > 0 || entry.hasRecorded,
            authorizer.policy.grant(of: entry.stored.key.app).isWithdrawn
        else { return }
        entry.isRevoked = true
        entry.track.stop()
        use(entry)
        changes.report(.recordingReadersChanged(entry.stored.key.app))
        // In a later iteration of the event loop: the journal must receive the decision before the erasure.
        DaemonActor.post { [weak self] in self?.erase(entry) }
    }

    /// Erases all recordings of a user's apps, as parts of an erasure: also those that could not be erased before. They are
    /// unreadable from now on.
    func eraseAll(of uid: UInt32, by eraser: String, _ parts: ErasureParts) {
        for entry in recordings.filter({ $0.key.uid == uid }).flatMap(\.value.values) {
            entry.isRevoked = true
            entry.track.stop()
            use(entry)
            changes.report(.recordingReadersChanged(entry.stored.key.app))
            erase(entry, because: eraser, completion: parts.begin())
        }
    }

    func erase(
        _ entry: JournalRecording, because eraser: String = "revocation", completion: ErasureParts.Part? = nil
    ) {
        // The result of an erasure in progress is not known, so one with a completion follows it, and finds nothing.
        guard completion != nil || !entry.isBeingErased else { return }
        entry.isBeingErased = true
        let key = entry.stored.key
        let event = Self.event(.recordingErased, key, "by", eraser)
        journal.eraseRecording(key, reporter: [event]) { [weak self] result in
            DaemonActor.assumeIsolated {
                switch result {
                case .success:
                    self?.erased(key, id: entry.stored.id, [event])
                    completion?(.success(()))
                case .failure(let error) where error.reason == .noSuchRecording:
                    self?.erased(key, id: entry.stored.id)
                    completion?(.success(()))
                case .failure(let error):
                    entry.isBeingErased = false
                    Log.error("the recording of \(key) cannot be erased; its app cannot read it any more: \(error)")
                    completion?(.failure(error))
                }
            }
        }
    }

    // Fixes

    /// Delivers a fix to the recordings for which it is due.
    func deliver(_ fix: Fix) {
        deliver(to: full) { track, decision in track.receive(fix, decision) }
    }

    /// Delivers an outdated fix, received while no daemon ran, to the recordings for which it was due at the time:
    /// those that existed already, of apps that were allowed full accuracy at the time.
    func deliverPast(_ fix: Fix) {
        let recordings = full.filter {
            $0.isOlder && authorizer.policy.couldHaveFull($0.stored.key.app, at: fix.receivedAt)
        }
        deliver(to: recordings) { track, decision in track.receive(fix, decision) }
    }

    /// Delivers a reduced fix to the recordings for which it is due.
    func deliver(_ fix: ReducedFix) { deliver(fix, to: reduced) }

    private func deliver(_ fix: ReducedFix, to recordings: [JournalRecording]) {
        let isRestored = receivers.shownReduced.map { $0.isRestored && $0.fix == fix } ?? false
        deliver(to: recordings.filter { !(isRestored && $0.isOlder) }) { track, decision in track.receive(fix, decision)
        }
    }

    private func deliver(
        to recordings: [JournalRecording], _ apply: (inout RecordingTrack, Decision) -> RecordingTrack.Outcome
    ) {
        guard !recordings.isEmpty else { return }
        let now = authorizer.instant
        var others: [JournalRecording] = []
        for entry in recordings {
            let app = entry.stored.key.app
            switch apply(&entry.track, authorizer.policy.decideRecording(for: app, at: now)) {
            case .record(let disclosure): record(disclosure, entry)
            case .nothing: break
            case .ask, .review: others.append(entry)
            }
        }
        for entry in others { settle(entry, at: now) }
    }

    private func record(_ disclosure: Disclosure, _ entry: JournalRecording) {
        let app = entry.stored.key.app
        entry.hasRecorded = true
        journal.record(disclosure, in: entry.stored.id, protection(of: entry.stored.key))
        ledger.count(disclosure.position.accuracy, recordedFor: app, isInUse: authorizer.policy.isInUse(app))
    }

    /// Prompts the person if Always is to be confirmed, and evaluates which feed the recording needs from now on.
    private func settle(_ entry: JournalRecording, at now: Instant) {
        let app = entry.stored.key.app
        if entry.track.obstacle == .alwaysUnconfirmed, prompts.positionDue(to: app) { entry.track.asked() }
        review(entry, verdict(of: entry.stored.key, at: now))
    }

    /// The recordings' part of the daemon's status.
    var status: DaemonStatus.Recordings {
        var status = DaemonStatus.Recordings()
        for entry in recordings.values.flatMap(\.values) where !entry.isRevoked {
            status.count += 1
            if entry.stored.isStarted { status.started += 1 }
            if entry.feed != .none, entry.track.obstacle == nil { status.recording += 1 }
            status.waiting += entry.stored.waiting
            status.dropped += entry.stored.dropped
            status.deadLetters += entry.stored.deadLetters
            if let oldest = entry.stored.oldestWaiting?.secondsSinceEpoch {
                status.oldestWaiting = min(status.oldestWaiting ?? oldest, oldest)
            }
        }
        if let problem, status.recording > 0 {
            status.problem = "Positions that should be recorded cannot be stored at present: \(problem)."
        } else if let loss {
            status.problem = "Not all recordings could be read at the start: \(loss.description)."
        }
        return status
    }
}
