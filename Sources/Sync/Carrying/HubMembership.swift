import Cryptography
import HTTP
import JSONText
import Platform
import Records

/// The requests by which this machine joins an account and leaves it.
@DaemonActor
struct HubMembership {
    /// The file of authorities that may vouch for a hub's certificate; empty for those of the system.
    let authorityFile: String
    let clock: any TimeSource

    /// Exchanges the code of an invitation for an account.
    func join(
        _ invitation: HubInvitation, completion: @escaping @DaemonActor (Result<SyncAccount, JoinFailure>) -> Void
    ) {
        let client: HubClient
        do {
            client = try HubClient(
                hub: invitation.hub, pin: invitation.pin, token: nil, authorityFile: authorityFile, clock: clock)
        } catch { return completion(.failure(.hub("The hub cannot be used: \(error)"))) }
        var body = JSONWriter()
        body.object { $0.member("code", invitation.code) }
        client.send(HubRequest(method: .post, path: "/v1/join", body: body.bytes)) { reply in
            client.close()
            completion(Self.account(of: invitation, in: reply))
        }
    }

    private static func account(of invitation: HubInvitation, in reply: HubReply) -> Result<SyncAccount, JoinFailure> {
        guard case .done(let body) = reply else {
            if case .notAccepted(let message) = reply { return .failure(.code(message)) }
            return .failure(.hub(reply.problem ?? "The hub refuses to let this machine join."))
        }
        guard let json = try? JSON.parse(body, maximumDepth: 4, maximumValues: 64),
            let name = json["account"]?.stringValue.flatMap(AccountID.init),
            let device = json["device"]?.stringValue.flatMap(DeviceID.init), let token = json["token"]?.stringValue,
            token.utf8.count <= 200, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return .failure(.hub(HubReply.strange(status: 200).problem ?? "")) }
        return .success(
            SyncAccount(
                hub: invitation.hub, pin: invitation.pin, token: token, id: AccountDevice(name, device),
                copy: HexText.text(RandomBytes.make(16)), identifierKey: identifierKey(json)))
    }

    /// Notifies the hub that this machine has left.
    func leave(_ account: SyncAccount) {
        do {
            let client = try HubClient(
                hub: account.hub, pin: account.pin, token: account.token, authorityFile: authorityFile, clock: clock)
            client.send(HubRequest(method: .delete, path: "/v1/device")) { _ in client.close() }
        } catch { Log.warning("the hub is not notified that this machine has left: \(error)") }
    }

    /// Requests the key of the account's identifiers, which a copy of an earlier release does not have.
    func requestIdentifierKey(by client: HubClient, completion: @escaping @DaemonActor ([UInt8]) -> Void) {
        client.send(HubRequest(method: .get, path: "/v1/device")) { reply in
            guard case .done(let body) = reply,
                let json = try? JSON.parse(body, maximumDepth: 4, maximumValues: 64),
                let key = Self.identifierKey(json)
            else { return }
            completion(key)
        }
    }

    private static func identifierKey(_ json: JSON) -> [UInt8]? {
        json["identifierKey"]?.stringValue.flatMap(HexText.bytes(of:)).flatMap {
            $0.count == SymmetricKey.size ? $0 : nil
        }
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
