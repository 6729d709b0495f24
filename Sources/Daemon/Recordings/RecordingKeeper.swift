import Authorization
import Interfaces
import Journal
import Location
import Platform

/// Who records what now: takes every fix to the recordings that it is due to, each after the gate was asked, whether their
/// apps run or not. The receiver is needed only while some recording may record.
@DaemonActor
final class RecordingKeeper {
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
    private(set) var recordings: [AppID: [String: KeptRecording]] = [:]
    /// What was stored, until it is known what was decided for apps.
    private var unjudged: [StoredRecording] = []
    /// Those that need the receiver.
    private var full: [KeptRecording] = []
    private var reduced: [KeptRecording] = []
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
    func recording(_ key: RecordingKey) -> KeptRecording? {
        guard let kept = recordings[key.app]?[key.identifier], !kept.isRevoked else { return nil }
        return kept
    }

    /// An app's recordings.
    func recordings(of app: AppID) -> [KeptRecording] {
        (recordings[app] ?? [:]).values.filter { !$0.isRevoked }
            .sorted { $0.stored.key.identifier < $1.stored.key.identifier }
    }

    /// Everybody's, by app, user and identifier.
    var all: [KeptRecording] {
        recordings.keys.sorted { ($0.name, $0.uid) < ($1.name, $1.uid) }.flatMap { recordings(of: $0) }
    }

    /// How many recordings the apps of a user have.
    func count(of uid: UInt32) -> Int {
        recordings.reduce(0) { $0 + ($1.key.uid == uid ? $1.value.count : 0) }
    }

    /// What is told of a recording.
    func known(_ kept: KeptRecording) -> KnownRecording {
        KnownRecording(kept.stored, state: state(of: kept))
    }

    /// How a recording stands.
    func state(of kept: KeptRecording) -> RecordingState {
        kept.track.state(hasPositions: receivers.hasPosition(kept.feed), stores: stores)
    }

    // What the journal says

    /// Takes what the journal has stored. It counts as soon as it is known what was decided for apps, and before anybody
    /// is answered who waits for that.
    func load(_ loaded: LoadedRecordings) {
        loss = loaded.loss
        if let error = loaded.loss { Log.error("recordings could not all be read: \(error)") }
        unjudged = loaded.recordings
        judge()
    }

    private func judge() {
        guard authorizer.isLoaded, !unjudged.isEmpty else { return }
        for stored in unjudged { add(stored, isOlder: true) }
        unjudged = []
        // What came while no daemon read it is recorded once that is known of all of them.
        for uid in Set(recordings.keys.map(\.uid)) { authorizer.whenReady(for: uid) {} }
        for kept in all { erase(ifRevoked: kept) }
        changes.report(.statusDetailChanged)
    }

    /// Some recordings have changed in the journal: these are all there are.
    func stored(_ all: [StoredRecording]) {
        for stored in all { take(stored) }
        let ids = Set(all.map(\.id))
        for kept in recordings.values.flatMap(\.values) {
            if !ids.contains(kept.stored.id) { remove(kept) } else if kept.isRevoked { erase(kept) }
        }
        changes.report(.statusDetailChanged)
    }

    func take(_ stored: StoredRecording) {
        guard let kept = recordings[stored.key.app]?[stored.key.identifier], kept.stored.id == stored.id else {
            return add(stored, isOlder: false)
        }
        let old = kept.stored
        guard stored != old else { return }
        kept.stored = stored
        if stored.isStarted != old.isStarted || stored.options != old.options { begin(kept) }
        changes.report(.recordingChanged(kept))
    }

    /// The journal stores what it is given, or does not.
    func journalChanged(to journal: DaemonStatus.Journal) {
        stores = journal.state == .running
        problem = stores || journal.state == .opening ? nil : journal.reason ?? "no reason known"
        guard stores else { return }
        // What could not be erased then can be now.
        for kept in recordings.values.flatMap(\.values) where kept.isRevoked { erase(kept) }
    }

    /// A recording is gone.
    func erased(_ key: RecordingKey, id: RecordingID, _ events: [Event] = []) {
        for event in events { authorizer.recorder.tell(event) }
        guard let kept = recordings[key.app]?[key.identifier], kept.stored.id == id else { return }
        remove(kept)
    }

    private func add(_ stored: StoredRecording, isOlder: Bool) {
        if let old = recordings[stored.key.app]?[stored.key.identifier] { remove(old) }
        let kept = KeptRecording(stored, verdict(of: stored.key.app, at: authorizer.moment), isOlder: isOlder)
        recordings[stored.key.app, default: [:]][stored.key.identifier] = kept
        use(kept)
        changes.report(.recordingChanged(kept))
    }

    private func remove(_ kept: KeptRecording) {
        let app = kept.stored.key.app
        kept.track.stop()
        use(kept)
        recordings[app]?[kept.stored.key.identifier] = nil
        if recordings[app]?.isEmpty == true { recordings[app] = nil }
        changes.report(.recordingReadersChanged(app))
        changes.report(.recordingErased(kept.stored.key))
        changes.report(.statusDetailChanged)
    }

    /// It is started, stopped, or has other options.
    private func begin(_ kept: KeptRecording) {
        let stored = kept.stored
        kept.track = RecordingTrack(
            stored.options, isStarted: stored.isStarted, verdict(of: stored.key.app, at: authorizer.moment))
        use(kept)
        erase(ifRevoked: kept)
    }

    // What apps may have

    /// What an app may have has changed.
    func review(_ app: AppID) {
        guard recordings[app] != nil else { return }
        let verdict = verdict(of: app, at: authorizer.moment)
        for kept in recordings(of: app) { review(kept, verdict) }
        changes.report(.recordingReadersChanged(app))
    }

    /// What everybody may have may have changed.
    func reviewAll() {
        judge()
        for app in Array(recordings.keys) { review(app) }
    }

    /// What was decided for an app has changed, which need not change what it may have.
    func grantChanged(of app: AppID) {
        for kept in recordings(of: app) { erase(ifRevoked: kept) }
    }

    private func review(_ kept: KeptRecording, _ verdict: RecordingVerdict) {
        let change = kept.track.review(verdict)
        use(kept)
        erase(ifRevoked: kept)
        guard change != .nothing, !kept.isRevoked else { return }
        changes.report(.statusDetailChanged)
        switch change {
        case .nothing: break
        case .paused(let state):
            authorizer.recordBounded(Self.event(.recordingPaused, kept.stored.key, "reason", state.rawValue))
        case .resumed: authorizer.recordBounded(Self.event(.recordingResumed, kept.stored.key))
        }
    }

    private func verdict(of app: AppID, at now: Policy.Moment) -> RecordingVerdict {
        let policy = authorizer.policy
        return RecordingVerdict(
            decision: policy.decideRecording(for: app, at: now),
            manifestAllows: policy.manifests[app].map(\.recordsForPurpose),
            accuracy: policy.standing(for: app, at: now).accuracy == .full ? .full : .reduced)
    }

    /// Sees to it that the receiver is there that a recording needs.
    private func use(_ kept: KeptRecording) {
        let old = kept.feed
        let new = kept.track.feed
        guard new != old else { return }
        kept.feed = new
        if new != .none { receivers.need(new) }
        switch old {
        case .none: break
        case .full: full.removeAll { $0 === kept }
        case .reduced: reduced.removeAll { $0 === kept }
        }
        if old != .none { receivers.release(old) }
        switch new {
        case .none: break
        case .full: full.append(kept)
        case .reduced:
            reduced.append(kept)
            // The next one comes up to twenty minutes later.
            guard let shown = receivers.shownReduced() else { break }
            if kept.isOlder, shown.isRestored { kept.track.skip(shown.fix) } else { deliver(shown.fix, to: [kept]) }
        }
    }

    // What became of an authorization

    /// Erases a recording whose app lost its authorization, where that is what the app wanted.
    private func erase(ifRevoked kept: KeptRecording) {
        guard !kept.isRevoked, kept.stored.options.onRevoke == .erase, kept.stored.last > 0 || kept.hasRecorded,
            authorizer.policy.grant(of: kept.stored.key.app).isTakenBack
        else { return }
        kept.isRevoked = true
        kept.track.stop()
        use(kept)
        changes.report(.recordingReadersChanged(kept.stored.key.app))
        // In a turn of its own: what was decided is given to the journal first, and so never after it.
        DaemonActor.post { [weak self] in self?.erase(kept) }
    }

    /// Erases all recordings of a user's apps; nobody has any of them from now on.
    func eraseAll(of uid: UInt32, by eraser: String) {
        for kept in all where kept.stored.key.app.uid == uid {
            kept.isRevoked = true
            kept.track.stop()
            use(kept)
            changes.report(.recordingReadersChanged(kept.stored.key.app))
            erase(kept, because: eraser)
        }
    }

    func erase(_ kept: KeptRecording, because eraser: String = "revocation") {
        guard !kept.isBeingErased else { return }
        kept.isBeingErased = true
        let key = kept.stored.key
        let event = Self.event(.recordingErased, key, "by", eraser)
        journal.eraseRecording(key, telling: [event]) { [weak self] result in
            DaemonActor.assumeIsolated {
                switch result {
                case .success: self?.erased(key, id: kept.stored.id, [event])
                case .failure(let error) where error.reason == .noSuchRecording:
                    self?.erased(key, id: kept.stored.id)
                case .failure(let error):
                    kept.isBeingErased = false
                    Log.error("what was recorded for \(key) cannot be erased, and is kept from it: \(error)")
                }
            }
        }
    }

    // Fixes

    /// Takes a fix to the recordings that it is due to.
    func deliver(_ fix: Fix) {
        deliver(to: full) { track, decision in track.take(fix, decision) }
    }

    /// Takes a fix that came while no daemon ran, and holds no longer, to the recordings that it was due to then: those there
    /// were, of apps that could have had it.
    func deliverPast(_ fix: Fix) {
        let recordings = full.filter {
            $0.isOlder && authorizer.policy.couldHaveFull($0.stored.key.app, at: fix.receivedAt)
        }
        deliver(to: recordings) { track, decision in track.take(fix, decision) }
    }

    /// Takes a reduced fix to the recordings that it is due to.
    func deliver(_ fix: ReducedFix) { deliver(fix, to: reduced) }

    private func deliver(_ fix: ReducedFix, to recordings: [KeptRecording]) {
        let isRestored = receivers.shownReduced().map { $0.isRestored && $0.fix == fix } ?? false
        deliver(to: recordings.filter { !(isRestored && $0.isOlder) }) { track, decision in track.take(fix, decision) }
    }

    private func deliver(
        to recordings: [KeptRecording], _ take: (inout RecordingTrack, Decision) -> RecordingTrack.Outcome
    ) {
        guard !recordings.isEmpty else { return }
        let now = authorizer.moment
        var others: [KeptRecording] = []
        for kept in recordings {
            let app = kept.stored.key.app
            switch take(&kept.track, authorizer.policy.decideRecording(for: app, at: now)) {
            case .record(let disclosure): record(disclosure, kept)
            case .nothing: break
            case .ask, .review: others.append(kept)
            }
        }
        for kept in others { settle(kept, at: now) }
    }

    private func record(_ disclosure: Disclosure, _ kept: KeptRecording) {
        let app = kept.stored.key.app
        kept.hasRecorded = true
        journal.record(disclosure, in: kept.stored.id)
        ledger.count(disclosure.position.accuracy, recordedFor: app, isInUse: authorizer.policy.isInUse(app))
    }

    /// Asks where Always is to be confirmed, and finds out what is needed from now on.
    private func settle(_ kept: KeptRecording, at now: Policy.Moment) {
        let app = kept.stored.key.app
        if kept.track.obstacle == .alwaysUnconfirmed, !authorizer.isAskedTooOften(app) {
            authorizer.positionDue(to: app)
            kept.track.asked()
        }
        review(kept, verdict(of: app, at: now))
    }

    /// What status tells.
    var status: DaemonStatus.Recordings {
        var status = DaemonStatus.Recordings()
        for kept in recordings.values.flatMap(\.values) where !kept.isRevoked {
            status.count += 1
            if kept.stored.isStarted { status.started += 1 }
            if kept.feed != .none, kept.track.obstacle == nil { status.recording += 1 }
            status.waiting += kept.stored.waiting
            status.dropped += kept.stored.dropped
            status.deadLetters += kept.stored.deadLetters
            if let oldest = kept.stored.oldestWaiting?.secondsSinceEpoch {
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
