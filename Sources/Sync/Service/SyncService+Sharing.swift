import HTTP
import Platform
import Records
import Storage
import SyncInterface
import Varlink

/// Requests about sharing, which are sent to the hub at once: neither the shares nor the participants are stored on the machine.
extension SyncService {
    func modifySharing(_ call: MethodCall<SyncInterface.ModifySharing>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let zone = try zone(nil, parameters.zone, in: container)
        let root = try Self.root(parameters.record)
        let action: ModifySharing.Action
        switch (parameters.invite, parameters.withdraw) {
        case (let name?, nil):
            guard let permission = Participant.Permission(rawValue: parameters.permission ?? "read") else {
                throw .invalidArgument(argument: "permission", message: "The permission is read or write.")
            }
            action = .invite(try Self.name(name, "invite", AccountID.init, "an account"), permission)
        case (nil, let name?):
            action = .withdraw(try Self.name(name, "withdraw", AccountID.init, "an account"))
        default:
            throw .invalidArgument(
                argument: "invite", message: "Exactly one of invite and withdraw has to name an account.")
        }
        try send(.post, HubAddress.participants(zone), body: ModifySharing(zone, action, of: root).json) {
            [call = call.later] reply in
            call.answer { () throws(Failure) in
                try Self.require(reply)
                return .init()
            }
        }
    }

    func acceptZone(_ call: MethodCall<SyncInterface.AcceptZone>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let zone = try zone(parameters.owner, parameters.zone, in: container)
        let root = try Self.root(parameters.record)
        let body = ModifySharing(zone, parameters.accept ? .accept : .leave, of: root).json
        // So that the zones of the container are fetched from now on.
        _ = try write { (tables) throws(StorageError) in try tables.open(container) }
        try send(.post, HubAddress.participants(zone), body: body) { [carrier, call = call.later] reply in
            call.answer { () throws(Failure) in
                try Self.require(reply)
                carrier.fetchSoon()
                return .init()
            }
        }
    }

    func listParticipants(_ call: MethodCall<SyncInterface.ListParticipants>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let zone = try zone(nil, parameters.zone, in: container)
        let root = try Self.root(parameters.record)
        try send(.get, HubAddress.participants(zone)) { [call = call.later] reply in
            call.answer { () throws(Failure) in
                let participants = try Self.require(reply) { (body) throws(FormatError) in
                    try [Participant](json: body)
                }
                return .init(
                    participants: participants.filter { $0.root == root }.map {
                        .init(
                            account: $0.account.text, permission: $0.permission.rawValue, accepted: $0.hasAccepted)
                    })
            }
        }
    }

    func listSharedZones(_ call: MethodCall<SyncInterface.ListSharedZones>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        try send(.get, HubAddress.sharedZones(container)) { [call = call.later] reply in
            call.answer { () throws(Failure) in
                let zones = try Self.require(reply) { (body) throws(FormatError) in
                    try [SharedZone](container, json: body)
                }
                return .init(
                    zones: zones.map { zone in
                        .init(
                            owner: zone.zone.owner?.text ?? "", name: zone.zone.name.text,
                            permission: zone.permission.rawValue, accepted: zone.hasAccepted, record: zone.root?.text)
                    })
            }
        }
    }

    /// The record that a call shares; nil for the zone.
    private static func root(_ record: String?) throws(Failure) -> RecordName? {
        try record.map { (text) throws(Failure) in try name(text, "record", RecordName.init, "a record") }
    }

    func send(
        _ method: HTTPMethod, _ path: String, body: [UInt8] = [],
        _ completion: @escaping @DaemonActor (HubReply) -> Void
    ) throws(Failure) {
        _ = try account
        guard carrier.request(method, path, body: body, completion: completion) else { throw hubUnavailable }
    }

    /// The error for a machine that no hub accepts.
    var hubUnavailable: Failure {
        .networkUnavailable(message: carrier.problem ?? "The hub does not accept this machine.")
    }

    /// The body of an answer that fulfils the request.
    @discardableResult
    static func require(_ reply: HubReply) throws(Failure) -> [UInt8] {
        switch reply {
        case .done(let body): return body
        case .refused(_, let message), .objected(let message): throw .refused(message: message)
        default: throw .networkUnavailable(message: reply.problem ?? "The hub cannot be used.")
        }
    }

    /// What is in the body of an answer that fulfils the request.
    static func require<Value>(
        _ reply: HubReply, _ read: ([UInt8]) throws(FormatError) -> Value
    ) throws(Failure) -> Value {
        let body = try require(reply)
        do throws(FormatError) {
            return try read(body)
        } catch {
            throw strange
        }
    }

    /// The error for an answer that no hub of this version gives.
    static var strange: Failure { .networkUnavailable(message: HubReply.strange(status: 200).problem ?? "") }
}
