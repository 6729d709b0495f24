import Authorization
import Platform
import Storage

/// The stored data of users in all parts of the daemon that store any: which users have some, and how it is erased.
///
/// The parts are created after this object, and enter themselves.
@DaemonActor
final class UserData {
    weak var recordings: RecordingRegistry?
    weak var regions: RegionRegistry?
    weak var visits: VisitBooks?
    weak var wakes: WakeRegistry?
    weak var identities: IdentityRegistry?
    /// The keys of copies of records.
    weak var copyKeys: CopyKeys?
    /// The keys of users.
    weak var protections: UserProtections?

    private let authorizer: Authorizer
    private let clients: Clients
    private let ledger: PositionLedger

    init(authorizer: Authorizer, clients: Clients, ledger: PositionLedger) {
        self.authorizer = authorizer
        self.clients = clients
        self.ledger = ledger
    }

    /// The user ids that have some, as far as it is loaded.
    var users: Set<UInt32> {
        var users = Set(authorizer.policy.decidedApps.map(\.uid))
        users.formUnion(authorizer.policy.prompts.map(\.app.uid))
        users.formUnion(recordings?.all.map(\.stored.key.app.uid) ?? [])
        users.formUnion(regions?.users ?? [])
        users.formUnion(visits?.users ?? [])
        users.formUnion(wakes?.users ?? [])
        users.formUnion(identities?.users ?? [])
        users.formUnion(copyKeys?.users ?? [])
        users.formUnion(protections?.owners ?? [])
        return users
    }

    /// The recordings of a user.
    func recordings(of uid: UInt32) -> [JournalRecording] { recordings?.all(of: uid) ?? [] }

    /// Has the keys of a user closed, so that nothing of the data is opened.
    func suspend(_ uid: UInt32) { protections?.suspend(uid) }

    /// Permits again that the keys are used.
    func resume(_ uid: UInt32) { protections?.resume(uid) }

    /// Erases all data of a user id, and the keys last.
    /// - Parameters:
    ///   - isRemoved: Whether the account does not exist any more. One that exists needs the key of its copy of records, which
    ///     is in its home.
    ///   - completion: Called when it is erased, or with the reason why not all of it could be.
    func erase(
        _ uid: UInt32, by decider: Grant.Decider, isRemoved: Bool,
        completion: @escaping @DaemonActor (Result<Void, StorageError>) -> Void
    ) {
        // What was counted belongs to the old account: it is recorded before the numbers are forgotten.
        ledger.write()
        recordings?.eraseAll(of: uid, by: decider.words)
        visits?.erase { $0.uid == uid }
        if isRemoved { copyKeys?.erase(uid) }
        wakes?.erase(uid: uid)
        identities?.erase(uid: uid)
        authorizer.send(.accountErased(uid, by: decider))
        clients.library.forget(uid)
        guard let regions else { return eraseKeys(uid, completion) }
        regions.eraseAll(of: uid) { [weak self] result in
            switch result {
            case .success: self?.eraseKeys(uid, completion)
            case .failure(.unavailable(let error)): completion(.failure(error))
            case .failure(let error): completion(.failure(StorageError("erase regions", .overloaded, "\(error)")))
            }
        }
    }

    /// Without its keys, nothing that was left of the recordings can be opened.
    private func eraseKeys(_ uid: UInt32, _ completion: @escaping @DaemonActor (Result<Void, StorageError>) -> Void) {
        guard let protections else { return completion(.success(())) }
        protections.erase(uid) { error in completion(error.map { .failure(StorageError($0)) } ?? .success(())) }
    }
}
