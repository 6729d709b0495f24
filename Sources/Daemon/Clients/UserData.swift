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

    /// Whether it is known who has regions: they are opened after the start, and may be locked.
    var areRegionsKnown: Bool { regions.map { $0.state == .ready } ?? true }

    /// The recordings of a user.
    func recordings(of uid: UInt32) -> [JournalRecording] { recordings?.all(of: uid) ?? [] }

    /// Has the keys of a user closed, so that nothing of the data is opened.
    func suspend(_ uid: UInt32) { protections?.suspend(uid) }

    /// Permits again that the keys are used.
    func resume(_ uid: UInt32) { protections?.resume(uid) }

    /// Erases all data of a user id, and the keys last.
    /// - Parameters:
    ///   - isRemoved: Whether the user is suspended, because the account was removed or changed. The account of another one needs
    ///     the key of its copy of records, which is in its home.
    ///   - completion: Called when it is erased, or with the reason why not all of it could be.
    func erase(
        _ uid: UInt32, by decider: Grant.Decider, isRemoved: Bool,
        completion: @escaping @DaemonActor (Result<Void, StorageError>) -> Void
    ) {
        let parts = ErasureParts { [weak self] result in self?.eraseKeys(uid, after: result, completion) }
        // What was counted belongs to the old account: it is recorded before the numbers are forgotten.
        ledger.write(parts.begin())
        recordings?.eraseAll(of: uid, by: decider.words, parts)
        visits?.erase(parts) { $0.uid == uid }
        if isRemoved { eraseCopyKey(of: uid, parts.begin()) }
        wakes?.erase(uid: uid, parts)
        identities?.erase(uid: uid, completion: parts.begin())
        authorizer.erase(uid, by: decider, completion: parts.begin())
        clients.library.forget(uid)
        if let regions {
            let part = parts.begin()
            regions.eraseAll(of: uid) { result in
                switch result {
                case .success: part(.success(()))
                case .failure(.unavailable(let error)): part(.failure(error))
                case .failure(let error): part(.failure(StorageError("erase regions", .overloaded, "\(error)")))
                }
            }
        }
        parts.allBegun()
    }

    private func eraseCopyKey(of uid: UInt32, _ part: ErasureParts.Part) {
        do throws(SystemError) {
            try copyKeys?.erase(uid)
            part(.success(()))
        } catch { part(.failure(StorageError(error))) }
    }

    /// Without its keys, nothing that was left of the recordings can be opened. So they are erased even if another part
    /// was not.
    private func eraseKeys(
        _ uid: UInt32, after parts: Result<Void, StorageError>,
        _ completion: @escaping @DaemonActor (Result<Void, StorageError>) -> Void
    ) {
        guard let protections else { return completion(parts) }
        protections.erase(uid) { error in
            if case .success = parts, let error { return completion(.failure(StorageError(error))) }
            completion(parts)
        }
    }
}
