import Authorization
import Interfaces
import JSONText
import Journal
import Location
import Platform
import Storage
import Varlink

/// The record of how many positions each client received: one event per hour for each app and each operator.
///
/// It is written at the end of the hour, when an operator requests it and when the daemon stops. Counts not yet written
/// are saved in the journal's database, at most `savePause` old, and become events at the next start, so a crash loses
/// little. Counts that the journal refuses are written later. Positions are counted when they are offered, including those
/// that a slow client never reads. A position recorded for an app is counted when it is recorded, and not again when the
/// app reads it.
@DaemonActor
final class PositionLedger {
    private let journal: EventJournal
    private let recorder: EventRecorder
    private let clock: any TimeSource
    private var counters: [Seer: SeenCounter] = [:]
    /// Counts of earlier hours that the journal has refused. They are written with the next ones.
    private var refused: [Entry] = []
    private var timer: TimerSource?
    /// The start of the present hour in seconds since 1970; nil if nothing was counted.
    private var hour: Int64?

    /// The interval at which unwritten counts are saved.
    private static let savePause = Duration.seconds(300)
    /// The name under which unwritten counts are saved.
    static let savedName = "positionsSeen"
    /// The maximum number of counters within an hour. With a further one, the hour is written early.
    private static let mostCounters = 1_024
    /// The maximum number of refused counts; beyond it the oldest ones are dropped.
    private static let mostRefused = 4_096

    init(journal: EventJournal, recorder: EventRecorder, clock: any TimeSource) throws(SystemError) {
        self.journal = journal
        self.recorder = recorder
        self.clock = clock
        timer = try TimerSource(accuracy: .seconds(1)) { [weak self] in self?.timerFired() }
    }

    /// Counts a position delivered to a client.
    func count(_ accuracy: AccuracyAuthorization, for session: ClientSession) {
        guard let app = session.process?.app else {
            return count(accuracy, isInUse: true, by: counter(of: Seer(app: nil, uid: session.userID)))
        }
        if app.seen.map(\.isOver) ?? true { app.seen = counter(of: Seer(app: app.id.name, uid: app.id.uid)) }
        if let counter = app.seen { count(accuracy, isInUse: app.isInUse, by: counter) }
    }

    /// Counts a position recorded for an app, whether or how often the app reads it.
    func count(_ accuracy: AccuracyAuthorization, recordedFor app: AppID, isInUse: Bool) {
        count(accuracy, isInUse: isInUse, by: counter(of: Seer(app: app.name, uid: app.uid)))
    }

    private func count(_ accuracy: AccuracyAuthorization, isInUse: Bool, by counter: SeenCounter) {
        if hour == nil { beginHour() }
        counter.count(accuracy, isInUse: isInUse)
    }

    private func counter(of seer: Seer) -> SeenCounter {
        if let counter = counters[seer] { return counter }
        if counters.count >= Self.mostCounters { write() }
        let counter = SeenCounter()
        counters[seer] = counter
        return counter
    }

    /// Turns the counts saved before a crash into events.
    func restore(_ saved: String?) {
        guard let saved else { return }
        let entries = Self.entries(saved)
        guard !entries.isEmpty else { return journal.append([], changes: [.value(Self.savedName, nil)]) { _ in } }
        append(entries) { _ in }
    }

    /// Writes the counts so far as events, and calls back when they are durable, or with the reason why they are not yet.
    func write(_ completion: @escaping ErasureParts.Part = { _ in }) {
        let entries = counted
        for counter in counters.values { counter.isOver = true }
        (counters, hour) = ([:], nil)
        timer?.disarm()
        append(entries, completion)
    }

    /// Has new counts become events, after those that were refused.
    private func append(_ new: [Entry], _ completion: @escaping ErasureParts.Part) {
        for entry in new { recorder.notify(entry.event) }
        let entries = refused + new
        refused = []
        guard !entries.isEmpty else { return completion(.success(())) }
        journal.append(entries.map(\.event), changes: [.value(Self.savedName, nil)]) { [weak self] result in
            DaemonActor.assumeIsolated {
                if case .failure(let error) = result { self?.refuse(entries, error) }
                completion(result)
            }
        }
    }

    private func refuse(_ entries: [Entry], _ error: StorageError) {
        if refused.isEmpty { Log.warning("delivered positions could not be recorded yet: \(error)") }
        refused = entries + refused
        let excess = refused.count - Self.mostRefused
        if excess > 0 {
            Log.warning("\(excess) counts of delivered positions are lost, because too many could not be recorded")
            refused.removeFirst(excess)
        }
        // Within an hour that is counted, the timer is armed already.
        if hour == nil, error.mayPass { timer?.arm(after: Self.savePause, clock: SystemClock()) }
    }

    private func beginHour() {
        hour = clock.utcMicroseconds / 3_600_000_000 * 3_600
        arm()
    }

    private func arm() {
        guard let hour else { return }
        let left = (hour + 3_600) * 1_000_000 - clock.utcMicroseconds
        timer?.arm(after: min(Self.savePause, .microseconds(max(0, left))), clock: SystemClock())
    }

    private func timerFired() {
        guard let hour, clock.utcMicroseconds < (hour + 3_600) * 1_000_000 else { return write() }
        save()
        arm()
    }

    private func save() {
        var writer = JSONWriter()
        writer.array { writer in
            for entry in refused + counted { entry.write(to: &writer) }
        }
        let text = String(decoding: writer.bytes, as: UTF8.self)
        journal.append([], changes: [.value(Self.savedName, text)]) { _ in }
    }

    private var counted: [Entry] {
        guard let hour else { return [] }
        return counters.filter { !$0.value.isEmpty }.map { seer, counter in
            var seen = SeenPositions(since: Double(hour))
            seen.fullInUse = counter.fullInUse
            seen.fullInBackground = counter.fullInBackground
            seen.reducedInUse = counter.reducedInUse
            seen.reducedInBackground = counter.reducedInBackground
            seen.isOperator = seer.app == nil
            return Entry(seer: seer, seen: seen)
        }
    }

    private static func entries(_ saved: String) -> [Entry] {
        do throws(JSONError) {
            let json = try JSON.parse(Array(saved.utf8))
            return (json.arrayValue ?? []).compactMap(Entry.init)
        } catch {
            Log.warning("the saved counts of delivered positions cannot be read: \(error)")
            return []
        }
    }
}

extension StorageError {
    /// Whether the journal may accept later what it has refused with this error.
    fileprivate var mayPass: Bool {
        switch reason {
        case .sqlite, .system, .overloaded, .protectedDataUnavailable: true
        default: false
        }
    }
}

/// A receiver of positions: an app, or an operator whose program is no app.
private struct Seer: Hashable {
    /// The app; nil for an operator.
    var app: String?
    var uid: UInt32
}

/// The positions of one app or operator in one hour.
private struct Entry {
    var seer: Seer
    var seen: SeenPositions

    init(seer: Seer, seen: SeenPositions) {
        self.seer = seer
        self.seen = seen
    }

    /// Decodes an entry that `write` encoded.
    init?(_ json: JSON) {
        guard let since = json["since"]?.numberValue, since.isFinite,
            let uid = json["uid"]?.integerValue.flatMap(UInt32.init(exactly:))
        else { return nil }
        seer = Seer(app: json["app"]?.stringValue, uid: uid)
        seen = SeenPositions(since: since)
        seen.isOperator = seer.app == nil
        func count(_ name: String) -> Int { json[name]?.integerValue.flatMap(Int.init(exactly:)) ?? 0 }
        seen.fullInUse = count("fullInUse")
        seen.fullInBackground = count("fullInBackground")
        seen.reducedInUse = count("reducedInUse")
        seen.reducedInBackground = count("reducedInBackground")
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("app", seer.app)
            writer.member("uid", seer.uid)
            writer.member("since", seen.since)
            for (name, count) in seen.counts { writer.member(name, count) }
        }
    }

    var event: Event {
        var details: EventDetails = ["since": .real(seen.since)]
        for (name, count) in seen.counts { details.append(name, .integer(Int64(count))) }
        if seen.isOperator { details.append("operator", true) }
        return Event(.positionsSeen, app: seer.app, uid: seer.uid, details: details)
    }
}
