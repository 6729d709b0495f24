import Authorization
import Configuration
import Events
import Identities
import Journal
import Location
import Platform
import Storage

/// The identifiers of apps: owns the `IdentityBook`, stores its records, and removes those of vendors without an app.
@DaemonActor
final class IdentityRegistry {
    /// Why an app does not receive an identifier.
    enum Refusal: Error {
        /// It has no manifest any more.
        case noManifest
        /// The record could not be stored.
        case notStored(StorageError)
    }

    /// An identifier for an app.
    struct VendorIdentifier {
        var identifier: UniqueID
        var vendor: Vendor
    }

    /// The advertising identifier for an app, and whether it may track.
    struct AdvertisingIdentifier {
        /// Zero unless the status is authorized.
        var identifier: UniqueID
        var status: TrackingAuthorizationStatus
    }

    typealias Completion<Identifier> = @DaemonActor (Result<Identifier, Refusal>) -> Void

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

    private struct Write {
        var number: UInt64
        var record: IdentifierRecord
        var completions: [@DaemonActor (Result<Void, StorageError>) -> Void] = []
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
            eraseDamaged(name)
        }
        for name in StoredTracking.read(values).damaged {
            Log.error("a stored decision (\(name)) cannot be read, and counts as not made")
            eraseDamaged(name)
        }
    }

    private func eraseDamaged(_ name: String) {
        journal.append([], changes: [.value(name, nil)]) { result in
            if case .failure(let error) = result { Log.error("\(name) could not be erased: \(error)") }
        }
    }

    /// Reads the homes of users whose own manifests decide about identifiers, also without a program that runs.
    func begin() {
        for uid in Set(book.keys.lazy.filter { $0.vendor?.installer == .user }.map(\.uid)) {
            readiness.whenReady(for: uid) {}
        }
        review()
    }

    // Queries

    /// Passes the identifier for the vendor of an app to the completion, when it is stored.
    func identifierForVendor(of app: AppID, completion: @escaping Completion<VendorIdentifier>) {
        guard let vendor = authorizer.policy.manifests.vendor(of: app) else {
            return completion(.failure(.noManifest))
        }
        disclose(IdentifierKey(uid: app.uid, vendor: vendor), to: app) { [weak self] result in
            switch result {
            case .failure(let error): completion(.failure(.notStored(error)))
            case .success(let identifier?):
                completion(.success(VendorIdentifier(identifier: identifier, vendor: vendor)))
            // The vendor may be another one now.
            case .success(nil): self?.identifierForVendor(of: app, completion: completion)
            }
        }
    }

    /// Passes the advertising identifier to the completion, when it is stored; all zeros unless the app may track now.
    func advertisingIdentifier(of app: AppID, completion: @escaping Completion<AdvertisingIdentifier>) {
        guard authorizer.policy.manifests[app] != nil else { return completion(.failure(.noManifest)) }
        let status = authorizer.policy.trackingStatus(of: app)
        guard status == .authorized else {
            return completion(.success(AdvertisingIdentifier(identifier: .zero, status: status)))
        }
        disclose(IdentifierKey(advertisingFor: app.uid), to: app) { [weak self] result in
            switch result {
            case .failure(let error): completion(.failure(.notStored(error)))
            case .success(let identifier?):
                completion(.success(AdvertisingIdentifier(identifier: identifier, status: status)))
            // The authorization may have been withdrawn.
            case .success(nil): self?.advertisingIdentifier(of: app, completion: completion)
            }
        }
    }

    /// Passes an identifier to the completion at once if it is stored that the app has it. Otherwise that is stored first,
    /// and the completion receives nil: it has to evaluate everything again, because the identifier may have been reset.
    private func disclose(
        _ key: IdentifierKey, to app: AppID,
        completion: @escaping @DaemonActor (Result<UniqueID?, StorageError>) -> Void
    ) {
        let answer = book.query(key, by: app.name, at: authorizer.instant.utc)
        if answer.mustBeStored { write(key, reporting: answer.isFirst ? disclosure(of: key, to: app) : nil) }
        if let identifier = book.received(key, by: app.name) { return completion(.success(identifier)) }
        // The record with this query is being written, or was written in part before a reset.
        guard let last = writes[key]?.indices.last else { return completion(.failure(Self.lost)) }
        writes[key]?[last].completions.append { completion($0.map { nil }) }
    }

    private static let lost = StorageError("store an identifier", .overloaded, "its record is not being written")

    private func disclosure(of key: IdentifierKey, to app: AppID) -> Event? {
        var details: EventDetails = ["kind": .text(key.kind.rawValue)]
        if let vendor = key.vendor {
            details.append("vendor", .text(vendor.name))
            details.append("isPersonal", .bool(vendor.installer == .user))
        }
        let event = Event(.identifierDisclosed, app: app.name, uid: app.uid, details: details)
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

    private func written(_ key: IdentifierKey, _ number: UInt64, _ result: Result<Void, StorageError>) {
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
            guard suspended[key.uid] == nil, let vendor = key.vendor else { return false }
            switch vendor.installer {
            case .system: return system.isRemoved(vendor, knownBy: record.uses.keys)
            case .user:
                let own = users[key.uid] ?? catalogue.vendors(of: key.uid)
                users[key.uid] = own
                return own.isRemoved(vendor, knownBy: record.uses.keys)
            }
        }
        erase(removed)
    }

    /// Resets the identifiers of a user, or of all users, of one kind or of all. The completion receives their number when
    /// that is durable.
    func reset(
        uid: UInt32?, kind: IdentifierKey.Kind? = nil, by decider: Grant.Decider,
        completion: @escaping @DaemonActor (Result<Int, StorageError>) -> Void
    ) {
        let removed = book.reset(uid: uid, kind: kind)
        guard !removed.isEmpty else { return completion(.success(0)) }
        let counts = Dictionary(grouping: removed, by: \.uid).mapValues(\.count)
        let events = counts.sorted { $0.key < $1.key }.map { uid, count in
            var details: EventDetails = ["count": .integer(Int64(count)), "by": .text(decider.words)]
            if let kind { details.append("kind", .text(kind.rawValue)) }
            return Event(.identifiersReset, uid: uid, details: details)
        }.filter {
            // A person's own programs may repeat the reset as often as they like.
            if case .person = decider { recorder.mayRecord($0) } else { true }
        }
        erase(removed, reporting: events) { completion($0.map { removed.count }) }
    }

    /// Erases everything of a user, durably.
    func erase(uid: UInt32, completion: @escaping @DaemonActor (Result<Void, StorageError>) -> Void) {
        erase(book.reset(uid: uid), completion: completion)
    }

    private func erase(
        _ keys: Set<IdentifierKey>, reporting events: [Event] = [],
        completion: @escaping @DaemonActor (Result<Void, StorageError>) -> Void = { _ in }
    ) {
        guard !keys.isEmpty else { return completion(.success(())) }
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
