import Authorization
import Interfaces
import Location
import Platform
import Tracking

/// The visits of all apps and operators that monitor them, and their storage in the journal's database.
@DaemonActor
final class VisitBooks {
    private let values: ProtectedValues
    private let changes: Changes
    private var books: [VisitKey: VisitBook] = [:]
    private var isJournalRunning = false
    /// Stores and erases again what the journal has refused although it runs: too much was pending.
    private var retry: TimerSource?
    /// The pause before that.
    var retryPause = Duration.seconds(10)

    /// How many books there are at most: the one that was used least recently makes room for a new one.
    private static let mostBooks = 256

    init(_ values: ProtectedValues, changes: Changes) throws(SystemError) {
        self.values = values
        self.changes = changes
        retry = try TimerSource(accuracy: .seconds(1)) { [weak self] in self?.saveRefused() }
    }

    /// The book of an app or operator.
    subscript(key: VisitKey) -> VisitBook { books[key] ?? VisitBook() }

    /// The apps with visits.
    var apps: [AppID] { keys.compactMap(\.app) }

    /// The users with visits that are stored, or will be.
    var users: Set<UInt32> { Set(books.filter { !$0.value.isEmpty }.keys.map(\.uid) + lockedKeys.map(\.uid)) }

    /// The users of whom these stored values are.
    static func users(ofStored values: [String: String]) -> Set<UInt32> {
        Set(values.keys.compactMap { VisitKey(savedName: $0)?.uid })
    }

    /// Whose visits are stored, also those that cannot be opened.
    private var keys: Set<VisitKey> { Set(books.keys).union(lockedKeys) }
    private var lockedKeys: [VisitKey] { values.lockedNames.compactMap(VisitKey.init(savedName:)) }

    /// Whether visits of an app or operator are stored that cannot be read until the data is unlocked.
    func isLocked(_ key: VisitKey) -> Bool { values.isLocked(key.savedName) }

    /// Whether no visits remain that are sealed with the keys of the present file.
    var arePlain: Bool { values.arePlain }

    /// Restores what was stored before the start.
    func restore(_ stored: [String: String]) {
        for (name, value) in stored {
            guard let key = VisitKey(savedName: name) else { continue }
            guard let text = values.restore(value, name: name) else { continue }
            guard books.count < Self.mostBooks, let book = VisitBook(saved: text) else {
                erase(name)
                continue
            }
            books[key] = book
        }
    }

    /// The keys have changed: what can be opened now is read and continued by what was observed meanwhile, and what is stored
    /// plain is sealed.
    func protectionChanged() {
        for (name, text) in values.removeOpened() {
            guard let key = VisitKey(savedName: name), let stored = VisitBook(saved: text) else { continue }
            books[key] = books[key].map { $0.continuing(stored) } ?? stored
        }
        for key in values.due.compactMap(VisitKey.init(savedName:)) { save(key) }
    }

    /// The journal has another state: what it has refused is stored or erased when it can be written again.
    func journalChanged(to journal: DaemonStatus.Journal) {
        isJournalRunning = journal.state == .running
        saveRefused()
    }

    /// Stores or erases again what the journal has refused. While the journal does not run, it would refuse everything.
    private func saveRefused() {
        guard isJournalRunning else { return }
        for key in values.refused.compactMap(VisitKey.init(savedName:)) { save(key) }
        if !values.isSettled { retryLater() }
    }

    private func retryLater() {
        if retry?.isArmed == false { retry?.arm(after: retryPause) }
    }

    /// Handles a fix that an app or operator may have. Returns what it has shown.
    func receive(_ fix: Fix, for key: VisitKey) -> [VisitDetector.Event] {
        if books[key] == nil { makeRoom() }
        let (events, isSaveDue) = books[key, default: VisitBook()].receive(fix)
        if isSaveDue { save(key) }
        return events
    }

    /// Erases the visits of some apps or operators; with parts of an erasure, each book is one.
    func erase(_ parts: ErasureParts? = nil, where isErased: (VisitKey) -> Bool) {
        var erased = keys
        // Also those of which an earlier erasure is not durable.
        if parts != nil { erased.formUnion(values.unsettledNames.compactMap(VisitKey.init(savedName:))) }
        for key in erased.filter(isErased) {
            books[key] = nil
            erase(key.savedName, completion: parts?.begin())
        }
    }

    private func makeRoom() {
        guard books.count >= Self.mostBooks, let oldest = books.min(by: { $0.value.usedAt < $1.value.usedAt }) else {
            return
        }
        erase { $0 == oldest.key }
    }

    private func save(_ key: VisitKey) {
        let text = self[key].saved
        // The journal stores to which account it belongs first.
        if text != nil { changes.report(.userSeen(key.uid, stores: true)) }
        values.store(text, name: key.savedName)
        retryLater()
    }

    private func erase(_ name: String, completion: ErasureParts.Part? = nil) {
        values.erase(name, completion: completion)
        retryLater()
    }
}
