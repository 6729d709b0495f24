import JSONText
import Platform
import Records
import Storage
import SyncInterface
import Varlink

/// Encrypted fields: apps see their values, and the copy and the hub have them sealed.
extension SyncService {
    // Keys

    func getKeys(_ call: MethodCall<SyncInterface.GetKeys>) throws(Failure) {
        try requirePerson(call.connection)
        let own = try account.id.device
        let machines = try storing { () throws(StorageError) in try keys.machines() }
        call.reply(
            .init(
                state: keys.state.word, generation: keys.state.generation, code: keys.state.code,
                problem: keys.problem,
                machines: machines.map {
                    .init(name: $0.member.name.text, trusted: $0.isTrusted, own: $0.member.name == own)
                }))
    }

    func trustMachine(_ call: MethodCall<SyncInterface.TrustMachine>) throws(Failure) {
        try requirePerson(call.connection)
        _ = try account
        guard let code = PairingCode(typed: call.parameters.code) else {
            throw .invalidArgument(
                argument: "code",
                message: "It is no code of `waymark sync devices`, which has 24 letters and digits.")
        }
        // The other machine may just have published its key.
        whenSynchronized(call) { (service, call) throws(Failure) in
            let result = try service.storing { () throws(StorageError) in try service.keys.trust(code) }
            switch result {
            case .success(let member)?: service.confirm(member, call)
            case .failure(let refusal)?: throw Self.failure(refusal)
            case nil: throw Self.failure(.notTrusted)
            }
        }
    }

    /// Replies when the hub has the generation with a machine.
    private func confirm(_ member: KeyGeneration.Member, _ call: MethodCall<SyncInterface.TrustMachine>) {
        whenSynchronized(call) { (service, call) throws(Failure) in
            guard case .trusted(_, let generation) = service.keys.state, generation.includes(member) else {
                throw .networkUnavailable(
                    message: "Another machine has changed the account's key at the same time. Try again.")
            }
            call.reply(.init(name: member.name.text))
        }
    }

    /// Goes on with a call when everything was sent and fetched; fails it if that is not possible at present.
    func whenSynchronized<Method: VarlinkMethod>(
        _ call: MethodCall<Method>,
        _ body: @escaping @DaemonActor (SyncService, MethodCall<Method>) throws(Failure) -> Void
    ) where Method.Failure == Failure {
        carrier.synchronize { [weak self] problem in
            guard let self, !call.call.isOver, call.connection.isOpen else { return }
            if let problem { return call.fail(.networkUnavailable(message: problem)) }
            do throws(Failure) { try body(self, call) } catch { call.fail(error) }
        }
    }

    private static func failure(_ refusal: KeyExchange.TrustRefusal) -> Failure {
        switch refusal {
        case .notTrusted:
            .encryptedDataUnavailable(
                message:
                    "This machine has no key of encrypted fields that it could pass on. Do this on a trusted machine.")
        case .unknownCode:
            .refused(
                message:
                    "No machine of the account has this code. Type the code that `waymark sync devices` shows on the new"
                    + " machine now. If it is right, the hub has exchanged that machine's key: do not trust the hub.")
        case .busy: .refused(message: "Another change of the account's key is not sent yet. Try again in a minute.")
        case .tooMany:
            .limitExceeded(
                limit: Limits.Subject.devices.rawValue, most: Int64(KeyGeneration.mostMembers),
                message:
                    "At most \(KeyGeneration.mostMembers) machines have the key. Remove one from the account first.")
        }
    }

    // Saving

    /// Lets a call go on when this machine has a key, which it may have to make, with the hub, for the first encrypted value.
    func waitForKey(_ call: MethodCall<SyncInterface.ModifyRecords>) throws(Failure) {
        if case .untrusted = keys.state { throw Self.untrusted }
        try storing { () throws(StorageError) in try keys.use() }
        whenSynchronized(call) { (service, call) throws(Failure) in
            guard service.keys.present != nil else { throw Self.untrusted }
            try service.modifyRecords(call)
        }
    }

    private static var untrusted: Failure {
        .encryptedDataUnavailable(
            message:
                "This machine is not trusted with the key of the account's encrypted fields yet. Type `waymark sync"
                + " devices` here, which says what to type on a trusted machine.")
    }

    func requireOwn(_ zone: ZoneID, of account: AccountID) throws(Failure) {
        guard zone.owner == account else {
            throw .encryptedDataUnavailable(
                message:
                    "The zone \(zone.name) belongs to another account, whose key this one does not have. Save encrypted"
                    + " fields in zones of your own.")
        }
    }

    func requireNothingEncrypted(_ request: ModifyRecords) throws(Failure) {
        guard !request.hasEncryptedValues else {
            throw .encryptedDataUnavailable(
                message:
                    "The public database has no encrypted fields, because everybody may read it. Save them in the"
                    + " private database.")
        }
    }

    /// The request with sealed values in place of encrypted ones.
    func seal(
        _ request: ModifyRecords, with tables: CacheTables, in zone: ZoneRow
    ) throws(StorageError) -> ModifyRecords {
        guard request.hasEncryptedValues, let key = keys.present else { return request }
        var request = request
        for index in request.saves.indices {
            let draft = request.saves[index].draft
            let present = try tables.seen(draft.name, in: zone)?.fields ?? [:]
            request.saves[index].draft.fields = keys.sealed(
                draft.fields, of: draft.name, in: zone.zone, with: key, present: present)
        }
        return request
    }

    // Reading

    /// Records for an app, with the values that can be opened.
    func json(_ records: [LocalRecord], in zone: ZoneID) throws(Failure) -> [JSON] {
        let opened = records.map { keys.opened($0, in: zone).json }
        try storing { () throws(StorageError) in try keys.useIfNeeded() }
        return opened
    }

    /// A refused change and its outcome for an app, with the values that can be opened.
    func opened(_ change: CacheTables.RefusedChange, in container: Container) -> (change: JSON, outcome: JSON) {
        guard let owner = AccountID(change.owner), let name = ZoneName(stored: change.zone),
            case let zone = ZoneID(container, owner: owner, name),
            var request = try? ModifyRecords(zone, json: Array(change.change.utf8)),
            var outcome = try? RecordOutcome(json: Array(change.outcome.utf8))
        else { return (Self.json(change.change), Self.json(change.outcome)) }
        for index in request.saves.indices {
            let draft = request.saves[index].draft
            request.saves[index].draft.fields = keys.opened(draft.fields, of: draft.name, in: zone)
        }
        if case .conflict(var conflict) = outcome {
            conflict.server = conflict.server.map { keys.opened($0, in: zone) }
            conflict.ancestor = conflict.ancestor.map { keys.opened($0, in: zone) }
            outcome = .conflict(conflict)
        }
        return (
            Self.json(String(decoding: request.json, as: UTF8.self)),
            Self.json(String(decoding: outcome.json, as: UTF8.self))
        )
    }

    func storing<Value>(_ body: () throws(StorageError) -> Value) throws(Failure) -> Value {
        do throws(StorageError) { return try body() } catch { throw Self.notStored(error) }
    }
}

extension FieldKeys {
    /// A record of the hub with the values that can be opened.
    fileprivate func opened(_ record: Record, in zone: ZoneID) -> Record {
        var record = record
        record.fields = opened(record.fields, of: record.name, in: zone)
        return record
    }
}

extension ModifyRecords {
    /// Whether a save has the value of an encrypted field that is not sealed.
    var hasEncryptedValues: Bool {
        saves.contains { save in
            save.draft.fields.values.contains { if case .encrypted = $0 { true } else { false } }
        }
    }
}

extension FieldKeys.State {
    fileprivate var word: SyncInterface.KeyState {
        switch self {
        case .unused: .unused
        case .unknown: .unknown
        case .untrusted: .untrusted
        case .trusted: .trusted
        }
    }

    fileprivate var generation: Int64? {
        if case .trusted(_, let generation) = self { generation.statement.number } else { nil }
    }

    fileprivate var code: String? { if case .untrusted(let code) = self { code.text } else { nil } }
}
