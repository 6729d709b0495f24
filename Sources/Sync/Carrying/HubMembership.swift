import Cryptography
import HTTP
import JSONText
import Platform
import Records
import Storage

/// The account that this machine belongs to: in the copy, and at the hub.
@DaemonActor
final class HubMembership {
    /// The account as the copy has it; nil if this machine belongs to none.
    private(set) var account: SyncAccount?
    private let cache: SyncCache
    /// The file of authorities that may vouch for a hub's certificate; empty for those of the system.
    private let authorityFile: String
    private let clock: any TimeSource

    init(_ cache: SyncCache, authorityFile: String, clock: any TimeSource) {
        self.cache = cache
        self.authorityFile = authorityFile
        self.clock = clock
    }

    /// Reads the account from the copy.
    func load() throws(StorageError) {
        account = try cache.read { (tables) throws(StorageError) in try tables.account() }
    }

    /// A client of the account's hub.
    func client(for account: SyncAccount) throws -> HubClient {
        try HubClient(
            hub: account.hub, pin: account.pin, token: account.token, authorityFile: authorityFile, clock: clock)
    }

    /// Exchanges the code of an invitation for an account, and stores that.
    func join(
        _ invitation: HubInvitation, completion: @escaping @DaemonActor (Result<SyncAccount, JoinFailure>) -> Void
    ) {
        guard account == nil else { return completion(.failure(.alreadyJoined)) }
        let client: HubClient
        do {
            client = try HubClient(
                hub: invitation.hub, pin: invitation.pin, token: nil, authorityFile: authorityFile, clock: clock)
        } catch { return completion(.failure(.hub("The hub cannot be used: \(error)"))) }
        var body = JSONWriter()
        body.object { $0.member("code", invitation.code) }
        client.send(HubRequest(method: .post, path: "/v1/join", body: body.bytes)) { [weak self] reply in
            client.close()
            guard let self else { return }
            completion(Self.account(of: invitation, in: reply).flatMap { self.store($0) })
        }
    }

    private func store(_ joined: SyncAccount) -> Result<SyncAccount, JoinFailure> {
        // Another invitation may have been accepted meanwhile.
        guard account == nil else { return .failure(.alreadyJoined) }
        do throws(StorageError) {
            try cache.write { (tables) throws(StorageError) in try tables.join(joined) }
        } catch { return .failure(.storage("\(error)")) }
        account = joined
        Log.notice("joined the account \(joined.id.account) at \(joined.hub) as \(joined.id.device)")
        return .success(joined)
    }

    private static func account(of invitation: HubInvitation, in reply: HubReply) -> Result<SyncAccount, JoinFailure> {
        guard case .done(let body) = reply else {
            if case .notAccepted(let message) = reply { return .failure(.code(message)) }
            return .failure(.hub(reply.problem ?? "The hub refuses to let this machine join."))
        }
        guard let json = try? JSON.parse(body, maximumDepth: 4, maximumValues: 64),
            let name = json["account"]?.stringValue.flatMap(AccountID.init),
            let device = json["device"]?.stringValue.flatMap(DeviceID.init), let token = json["token"]?.stringValue,
            token.utf8.count <= 200, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let key = json["identifierKey"]?.stringValue.flatMap(HexText.bytes(of:)), key.count == SymmetricKey.size
        else { return .failure(.hub(HubReply.strange(status: 200).problem ?? "")) }
        return .success(
            SyncAccount(
                hub: invitation.hub, pin: invitation.pin, token: token, id: AccountDevice(name, device),
                copy: HexText.text(RandomBytes.make(16)), identifierKey: key))
    }

    /// Leaves the account and removes the copy. The hub is notified, if it can be reached.
    func leave() throws(StorageError) {
        try cache.write { (tables) throws(StorageError) in try tables.wipe() }
        if let account, !account.isRemoved {
            Log.notice("left the account \(account.id.account)")
            notifyHub(ofLeaving: account)
        }
        account = nil
    }

    private func notifyHub(ofLeaving account: SyncAccount) {
        do {
            let client = try client(for: account)
            client.send(HubRequest(method: .delete, path: "/v1/device")) { _ in client.close() }
        } catch { Log.warning("the hub is not notified that this machine has left: \(error)") }
    }

    /// Notes that the hub does not accept this machine any more.
    func markRemoved() throws(StorageError) {
        Log.warning("the hub does not accept this machine any more; leave the account and join it again")
        try cache.write { (tables) throws(StorageError) in try tables.markRemoved() }
        account?.isRemoved = true
    }
}

/// Why this machine does not join an account.
enum JoinFailure: Error, Equatable {
    case alreadyJoined
    /// The hub's sentence about the code.
    case code(String)
    /// Why the hub cannot be used.
    case hub(String)
    case storage(String)
}
