import Authorization
import Journal
import Location
import Platform
import Tracking

/// The visits of all apps and operators that monitor them, and their storage in the journal's database.
@DaemonActor
final class VisitBooks {
    private let journal: EventJournal
    private var books: [VisitKey: VisitBook] = [:]

    /// How many books there are at most: the one that was used least recently makes room for a new one.
    private static let mostBooks = 256

    init(journal: EventJournal) {
        self.journal = journal
    }

    /// The book of an app or operator.
    subscript(key: VisitKey) -> VisitBook { books[key] ?? VisitBook() }

    /// The apps with visits.
    var apps: [AppID] { books.keys.compactMap(\.app) }

    /// Restores what was stored before the start.
    func restore(_ values: [String: String]) {
        for (name, text) in values {
            guard let key = VisitKey(savedName: name) else { continue }
            guard books.count < Self.mostBooks, let book = VisitBook(saved: text) else {
                journal.append([], changes: [.value(name, nil)]) { _ in }
                continue
            }
            books[key] = book
        }
    }

    /// Handles a fix that an app or operator may have. Returns what it has shown.
    func receive(_ fix: Fix, for key: VisitKey) -> [VisitDetector.Event] {
        if books[key] == nil { makeRoom() }
        let (events, isSaveDue) = books[key, default: VisitBook()].receive(fix)
        if isSaveDue { save(key) }
        return events
    }

    /// Erases the visits of some apps or operators.
    func erase(where isErased: (VisitKey) -> Bool) {
        for key in books.keys.filter(isErased) {
            books[key] = nil
            journal.append([], changes: [.value(key.savedName, nil)]) { result in
                if case .failure(let error) = result { Log.error("stored visits could not be erased: \(error)") }
            }
        }
    }

    private func makeRoom() {
        guard books.count >= Self.mostBooks, let oldest = books.min(by: { $0.value.usedAt < $1.value.usedAt }) else {
            return
        }
        erase { $0 == oldest.key }
    }

    private func save(_ key: VisitKey) {
        journal.append([], changes: [.value(key.savedName, self[key].saved)]) { result in
            if case .failure(let error) = result { Log.warning("visits could not be stored: \(error)") }
        }
    }
}
