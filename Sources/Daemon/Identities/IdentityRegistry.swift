import Authorization
import Configuration
import Cryptography
import Events
import Identities
import Journal
import Location
import Platform

/// The identifiers of apps: owns the `IdentityBook`, stores its records, and removes those of vendors without an app.
@DaemonActor
final class IdentityRegistry {
    /// Why an app does not receive an identifier.
    enum Refusal: Error {
        /// It has no manifest any more.
        case noManifest
        /// The record could not be stored.
        case notStored(JournalError)
    }

    /// An identifier for an app.
    struct VendorIdentifier {
        var identifier: UniqueID
        var vendor: Vendor
    }

    typealias Completion = @DaemonActor (Result<VendorIdentifier, Refusal>) -> Void

    private let journal: EventJournal
    private let authorizer: Authorizer
    private let clients: Clients
    private let readiness: Readiness
    private let recorder: ClientRecorder
    private let changes: Changes
    private(set) var book = IdentityBook()
    /// The records that are being stored, by their number, and what follows.
    private var writes: [IdentifierKey: [Write]] = [:]
    private var lastWrite: UInt64 = 0
    private var generator = SecureGenerator()

    private struct Write {
        var number: UInt64
        var record: IdentifierRecord
        var completions: [@DaemonActor (Result<Void, JournalError>) -> Void] = []
    }

    init(
        journal: EventJournal, authorizer: Authorizer, clients: Clients, readiness: Readiness,
        recorder: ClientRecorder, changes: Changes
    ) {
        self.journal = journal
        self.authorizer = authorizer
        self.clients = clients
        self.readiness = readiness
        self.recorder = recorder
        self.changes = changes
    }

    /// The users with identifiers.
    var users: Set<UInt32> { book.users }

    // Start

    /// Restores what was stored before the start.
    func load(_ values: [String: String]) {
        for (name, text) in values where IdentifierKey.isSavedName(name) {
            if let key = IdentifierKey(savedName: name), let record = IdentifierRecord(text: text) {
                book.restore(record, for: key)
                continue
            }
            Log.error("a stored identifier (\(name)) cannot be read, and is begun again")
            journal.append([], changes: [.value(name, nil)]) { result in
                if case .failure(let error) = result { Log.error("\(name) could not be erased: \(error)") }
            }
        }
    }

    /// Reads the homes of users whose own manifests decide about identifiers, also without a program that runs.
    func begin() {
        for uid in Set(book.keys.lazy.filter { $0.vendor.installer == .user }.map(\.uid)) {
            readiness.whenReady(for: uid) {}
        }
        review()
    }

    // Queries

    /// Passes the identifier for the vendor of an app to the completion, when it is stored.
    func identifierForVendor(of app: AppID, completion: @escaping Completion) {
        guard let vendor = authorizer.policy.manifests.vendor(of: app) else {
            return completion(.failure(.noManifest))
        }
        let key = IdentifierKey(uid: app.uid, vendor: vendor)
        let answer = book.query(key, by: app.name, at: authorizer.instant.utc, using: &generator)
        if answer.mustBeStored { write(key, reporting: answer.isFirst ? disclosure(of: key, to: app) : nil) }
        if let identifier = book.received(key, by: app.name) {
            return completion(.success(VendorIdentifier(identifier: identifier, vendor: vendor)))
        }
        // The record with this query is being written, or was written in part before a reset.
        guard let last = writes[key]?.indices.last else { return completion(.failure(.notStored(Self.lost))) }
        writes[key]?[last].completions.append { [weak self] result in
            switch result {
            case .failure(let error): completion(.failure(.notStored(error)))
            // The vendor may be another one now, or the identifier may have been reset: then it is queried again.
            case .success: self?.identifierForVendor(of: app, completion: completion)
            }
        }
    }

    private static let lost = JournalError("store an identifier", .overloaded, "its record is not being written")

    private func disclosure(of key: IdentifierKey, to app: AppID) -> Event? {
        let event = Event(
            .identifierDisclosed, app: app.name, uid: app.uid,
            details: [
                "kind": .text("identifierForVendor"), "vendor": .text(key.vendor.name),
                "isPersonal": .bool(key.vendor.installer == .user),
            ])
        return recorder.mayRecord(event) ? event : nil
    }

    private func write(_ key: IdentifierKey, reporting event: Event?) {
        guard let record = book.record(of: key) else { return }
        lastWrite += 1
        let number = lastWrite
        writes[key, default: []].append(Write(number: number, record: record))
        // The journal stores to which account it belongs first.
        changes.report(.userSeen(key.uid, stores: true))
        journal.append(event.map { [$0] } ?? [], changes: [.value(key.savedName, record.text)]) { [weak self] result in
            DaemonActor.assumeIsolated { self?.written(key, number, result) }
        }
    }

    private func written(_ key: IdentifierKey, _ number: UInt64, _ result: Result<Void, JournalError>) {
        guard let place = writes[key]?.firstIndex(where: { $0.number == number }),
            let write = writes[key]?.remove(at: place)
        else { return }
        if writes[key]?.isEmpty == true { writes[key] = nil }
        switch result {
        case .success: book.stored(write.record, for: key)
        case .failure(let error):
            Log.error("an identifier of uid \(key.uid) could not be stored: \(error)")
            book.notStored(write.record, for: key)
        }
        for completion in write.completions { completion(result) }
    }

    // Removal

    /// Manifests have changed, or a home was read: removes the identifiers of vendors without an app.
    func review() {
        guard authorizer.isLoaded, !book.keys.isEmpty else { return }
        let catalogue = clients.library.catalogue
        let system = catalogue.systemVendors
        var users: [UInt32: InstalledVendors] = [:]
        let suspended = clients.suspensions
        let removed = book.review { key, record in
            // Nothing is decided about the data of a suspended account.
            if suspended[key.uid] != nil { return false }
            switch key.vendor.installer {
            case .system: return system.isRemoved(key.vendor, knownBy: record.uses.keys)
            case .user:
                let own = users[key.uid] ?? catalogue.vendors(of: key.uid)
                users[key.uid] = own
                return own.isRemoved(key.vendor, knownBy: record.uses.keys)
            }
        }
        erase(removed)
    }

    /// Resets the identifiers of a user, or of all users. The completion receives their number when that is durable.
    func reset(
        uid: UInt32?, by operatorID: UInt32, completion: @escaping @DaemonActor (Result<Int, JournalError>) -> Void
    ) {
        let removed = book.reset(uid: uid)
        guard !removed.isEmpty else { return completion(.success(0)) }
        let counts = Dictionary(grouping: removed, by: \.uid).mapValues(\.count)
        let events = counts.sorted { $0.key < $1.key }.map { uid, count in
            Event(
                .identifiersReset, uid: uid,
                details: ["count": .integer(Int64(count)), "by": .text("operator \(operatorID)")])
        }
        erase(removed, reporting: events) { completion($0.map { removed.count }) }
    }

    /// Erases everything of a user.
    func erase(uid: UInt32) { erase(book.reset(uid: uid)) }

    private func erase(
        _ keys: Set<IdentifierKey>, reporting events: [Event] = [],
        completion: @escaping @DaemonActor (Result<Void, JournalError>) -> Void = { _ in }
    ) {
        guard !keys.isEmpty else { return }
        journal.append(events, changes: keys.map { .value($0.savedName, nil) }) { [weak self] result in
            DaemonActor.assumeIsolated {
                switch result {
                case .success: for key in keys { self?.book.stored(nil, for: key) }
                case .failure(let error):
                    Log.error("identifiers that are not used any more could not be erased: \(error)")
                }
                completion(result)
            }
        }
    }
}

/// The random numbers of `RandomBytes`.
private struct SecureGenerator: RandomNumberGenerator {
    mutating func next() -> UInt64 {
        RandomBytes.make(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
