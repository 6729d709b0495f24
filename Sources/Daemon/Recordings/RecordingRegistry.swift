import Authorization
import Interfaces
import Journal
import Location
import Platform

/// Who records what now: takes every fix to the recordings that it is due to, each after the gate was asked, whether their
/// apps run or not. The receiver is needed only while some recording may record.
@DaemonActor
final class RecordingRegistry {
    /// Where the receiver's positions come from, full and reduced.
    struct Receivers {
        var need: @DaemonActor (PositionFeed) -> Void
        var release: @DaemonActor (PositionFeed) -> Void
        /// Whether there is a position of that kind now.
        var hasPosition: @DaemonActor (PositionFeed) -> Bool
        /// The reduced position that is shown, and whether it was shown before the daemon started.
        var shownReduced: @DaemonActor () -> (fix: ReducedFix, isRestored: Bool)?
    }

    let journal: EventJournal
    let authorizer: Authorizer
    private let changes: Changes
    private let ledger: PositionLedger
    private let receivers: Receivers
    private(set) var recordings: [AppID: [String: JournalRecording]] = [:]
    /// What was stored, until it is known what was decided for apps.
    private var unjudged: [StoredRecording] = []
    /// Those that need the receiver.
    private var full: [JournalRecording] = []
    private var reduced: [JournalRecording] = []
    /// Why some recordings of before could not be read.
    private(set) var loss: JournalError?
    /// Whether the journal stores what is recorded.
    private var stores = false
    /// Why it does not, for a person.
    private var problem: String?

    init(
        journal: EventJournal, authorizer: Authorizer, ledger: PositionLedger, changes: Changes, receivers: Receivers
    ) {
        self.changes = changes
        self.journal = journal
        self.authorizer = authorizer
        self.ledger = ledger
        self.receivers = receivers
        authorizer.isUserNeeded = { [weak self] uid in
            self?.recordings.keys.contains { $0.uid == uid } ?? false
        }
    }

    // What there is

    /// A recording of an app's.
    func recording(_ key: RecordingKey) -> JournalRecording? {
        guard let entry = recordings[key.app]?[key.identifier], !entry.isRevoked else { return nil }
        return entry
    }

    /// An app's recordings.
    func recordings(of app: AppID) -> [JournalRecording] {
        (recordings[app] ?? [:]).values.filter { !$0.isRevoked }
            .sorted { $0.stored.key.identifier < $1.stored.key.identifier }
    }

    /// Everybody's, by app, user and identifier.
    var all: [JournalRecording] {
        recordings.keys.sorted { ($0.name, $0.uid) < ($1.name, $1.uid) }.flatMap { recordings(of: $0) }
    }

    /// How many recordings the apps of a user have.
    func count(of uid: UInt32) -> Int {
        recordings.reduce(0) { $0 + ($1.key.uid == uid ? $1.value.count : 0) }
    }

    /// What is told of a recording.
    func known(_ entry: JournalRecording) -> KnownRecording {
        KnownRecording(entry.stored, state: state(of: entry))
    }

    /// How a recording stands.
    func state(of entry: JournalRecording) -> RecordingState {
        entry.track.state(hasPositions: receivers.hasPosition(entry.feed), stores: stores)
    }

    // What the journal says

    /// Takes what the journal has stored. It counts as soon as it is known what was decided for apps, and before anybody
    /// is answered who waits for that.
    func load(_ loaded: LoadedRecordings) {
        loss = loaded.loss
        if let error = loaded.loss { Log.error("recordings could not all be read: \(error)") }
        unjudged = loaded.recordings
        evaluate()
    }

    private func evaluate() {
        guard authorizer.isLoaded, !unjudged.isEmpty else { return }
        for stored in unjudged { add(stored, isOlder: true) }
        unjudged = []
        // What came while no daemon read it is recorded once that is known of all of them.
        for uid in Set(recordings.keys.map(\.uid)) { authorizer.whenReady(for: uid) {} }
        for entry in all { erase(ifRevoked: entry) }
        changes.report(.statusDetailChanged)
    }

    /// Some recordings have changed in the journal: these are all there are.
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

    /// The journal stores what it is given, or does not.
    func journalChanged(to journal: DaemonStatus.Journal) {
        stores = journal.state == .running
        problem = stores || journal.state == .opening ? nil : journal.reason ?? "no reason known"
        guard stores else { return }
        // What could not be erased then can be now.
        for entry in recordings.values.flatMap(\.values) where entry.isRevoked { erase(entry) }
    }

    /// A recording is gone.
    func erased(_ key: RecordingKey, id: RecordingID, _ events: [Event] = []) {
        for event in events { authorizer.recorder.notify(event) }
        guard let entry = recordings[key.app]?[key.identifier], entry.stored.id == id else { return }
        remove(entry)
    }

    private func add(_ stored: StoredRecording, isOlder: Bool) {
        if let old = recordings[stored.key.app]?[stored.key.identifier] { remove(old) }
        let entry = JournalRecording(stored, verdict(of: stored.key.app, at: authorizer.instant), isOlder: isOlder)
        recordings[stored.key.app, default: [:]][stored.key.identifier] = entry
        use(entry)
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

    /// It is started, stopped, or has other options.
    private func begin(_ entry: JournalRecording) {
        let stored = entry.stored
        entry.track = RecordingTrack(
            stored.options, isStarted: stored.isStarted, verdict(of: stored.key.app, at: authorizer.instant))
        use(entry)
        erase(ifRevoked: entry)
    }

    // What apps may have

    /// What an app may have has changed.
    func review(_ app: AppID) {
        guard recordings[app] != nil else { return }
        let verdict = verdict(of: app, at: authorizer.instant)
        for entry in recordings(of: app) { review(entry, verdict) }
        changes.report(.recordingReadersChanged(app))
    }

    /// What everybody may have may have changed.
    func reviewAll() {
        evaluate()
        for app in Array(recordings.keys) { review(app) }
    }

    /// What was decided for an app has changed, which need not change what it may have.
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
            authorizer.recordBounded(Self.event(.recordingPaused, entry.stored.key, "reason", state.rawValue))
        case .resumed: authorizer.recordBounded(Self.event(.recordingResumed, entry.stored.key))
        }
    }

    private func verdict(of app: AppID, at now: Policy.Instant) -> RecordingVerdict {
        let policy = authorizer.policy
        return RecordingVerdict(
            decision: policy.decideRecording(for: app, at: now),
            manifestAllows: policy.manifests[app].map(\.recordsForPurpose),
            accuracy: policy.authorizationState(for: app, at: now).accuracy == .full ? .full : .reduced)
    }

    /// Sees to it that the receiver is there that a recording needs.
    private func use(_ entry: JournalRecording) {
        let old = entry.feed
        let new = entry.track.feed
        guard new != old else { return }
        entry.feed = new
        if new != .none { receivers.need(new) }
        switch old {
        case .none: break
        case .full: full.removeAll { $0 === entry }
        case .reduced: reduced.removeAll { $0 === entry }
        }
        if old != .none { receivers.release(old) }
        switch new {
        case .none: break
        case .full: full.append(entry)
        case .reduced:
            reduced.append(entry)
            // The next one comes up to twenty minutes later.
            guard let shown = receivers.shownReduced() else { break }
            if entry.isOlder, shown.isRestored { entry.track.skip(shown.fix) } else { deliver(shown.fix, to: [entry]) }
        }
    }

    // What became of an authorization

    /// Erases a recording whose app lost its authorization, where that is what the app wanted.
    private func erase(ifRevoked entry: JournalRecording) {
        guard !entry.isRevoked, entry.stored.options.onRevoke == .erase, entry.stored.last > 0 || entry.hasRecorded,
            authorizer.policy.grant(of: entry.stored.key.app).isWithdrawn
        else { return }
        entry.isRevoked = true
        entry.track.stop()
        use(entry)
        changes.report(.recordingReadersChanged(entry.stored.key.app))
        // In a turn of its own: what was decided is given to the journal first, and so never after it.
        DaemonActor.post { [weak self] in self?.erase(entry) }
    }

    /// Erases all recordings of a user's apps; nobody has any of them from now on.
    func eraseAll(of uid: UInt32, by eraser: String) {
        for entry in all where entry.stored.key.app.uid == uid {
            entry.isRevoked = true
            entry.track.stop()
            use(entry)
            changes.report(.recordingReadersChanged(entry.stored.key.app))
            erase(entry, because: eraser)
        }
    }

    func erase(_ entry: JournalRecording, because eraser: String = "revocation") {
        guard !entry.isBeingErased else { return }
        entry.isBeingErased = true
        let key = entry.stored.key
        let event = Self.event(.recordingErased, key, "by", eraser)
        journal.eraseRecording(key, reporter: [event]) { [weak self] result in
            DaemonActor.assumeIsolated {
                switch result {
                case .success: self?.erased(key, id: entry.stored.id, [event])
                case .failure(let error) where error.reason == .noSuchRecording:
                    self?.erased(key, id: entry.stored.id)
                case .failure(let error):
                    entry.isBeingErased = false
                    Log.error("what was recorded for \(key) cannot be erased, and is kept from it: \(error)")
                }
            }
        }
    }

    // Fixes

    /// Takes a fix to the recordings that it is due to.
    func deliver(_ fix: Fix) {
        deliver(to: full) { track, decision in track.receive(fix, decision) }
    }

    /// Takes a fix that came while no daemon ran, and holds no longer, to the recordings that it was due to then: those there
    /// were, of apps that could have had it.
    func deliverPast(_ fix: Fix) {
        let recordings = full.filter {
            $0.isOlder && authorizer.policy.couldHaveFull($0.stored.key.app, at: fix.receivedAt)
        }
        deliver(to: recordings) { track, decision in track.receive(fix, decision) }
    }

    /// Takes a reduced fix to the recordings that it is due to.
    func deliver(_ fix: ReducedFix) { deliver(fix, to: reduced) }

    private func deliver(_ fix: ReducedFix, to recordings: [JournalRecording]) {
        let isRestored = receivers.shownReduced().map { $0.isRestored && $0.fix == fix } ?? false
        deliver(to: recordings.filter { !(isRestored && $0.isOlder) }) { track, decision in track.receive(fix, decision)
        }
    }

    private func deliver(
        to recordings: [JournalRecording], _ evaluate: (inout RecordingTrack, Decision) -> RecordingTrack.Outcome
    ) {
        guard !recordings.isEmpty else { return }
        let now = authorizer.instant
        var others: [JournalRecording] = []
        for entry in recordings {
            let app = entry.stored.key.app
            switch evaluate(&entry.track, authorizer.policy.decideRecording(for: app, at: now)) {
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
        journal.record(disclosure, in: entry.stored.id)
        ledger.count(disclosure.position.accuracy, recordedFor: app, isInUse: authorizer.policy.isInUse(app))
    }

    /// Asks where Always is to be confirmed, and finds out what is needed from now on.
    private func settle(_ entry: JournalRecording, at now: Policy.Instant) {
        let app = entry.stored.key.app
        if entry.track.obstacle == .alwaysUnconfirmed, !authorizer.isAskedTooOften(app) {
            authorizer.positionDue(to: app)
            entry.track.asked()
        }
        review(entry, verdict(of: app, at: now))
    }

    /// What status tells.
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
            status.problem = "Positions that should be recorded are not stored now: \(problem)."
        } else if let loss {
            status.problem = "Recordings of before could not all be read: \(loss.description)."
        }
        return status
    }
}
