import HTTP
import Interfaces
import JSONText
import Location
import Platform
import Records
import Storage
import SyncInterface
import Varlink

extension SyncService {
    func join(_ call: MethodCall<SyncInterface.Join>) throws(Failure) {
        try requirePerson(call.connection)
        try requireOpenCopy()
        guard carrier.account == nil else { throw Self.alreadyJoined }
        let invitation: HubInvitation
        do throws(HubInvitation.Objection) {
            invitation = try HubInvitation(hub: call.parameters.hub, code: call.parameters.code)
        } catch {
            switch error {
            case .address(let why): throw .invalidArgument(argument: "hub", message: "The address \(why).")
            case .code(let why): throw .invalidArgument(argument: "code", message: "The code \(why).")
            }
        }
        carrier.join(invitation) { [call = call.later] result in
            switch result {
            case .success(let account):
                call.reply(.init(account: account.id.account.text, device: account.id.device.text))
            case .failure(.alreadyJoined): call.fail(Self.alreadyJoined)
            case .failure(.code(let message)): call.fail(.refused(message: message))
            case .failure(.hub(let message)): call.fail(.networkUnavailable(message: message))
            case .failure(.storage(let message)):
                call.fail(
                    .notStored(
                        message:
                            "The hub has accepted the code, but the account cannot be stored: \(message). Mend that,"
                            + " and join with another code."))
            }
        }
    }

    private static var alreadyJoined: Failure {
        .alreadyJoined(message: "This machine has joined an account already. Leave it first with `waymark leave`.")
    }

    func leave(_ call: MethodCall<SyncInterface.Leave>) throws(Failure) {
        try requirePerson(call.connection)
        _ = try account
        let unsent = try read { (tables) throws(StorageError) -> Int64 in
            var sum: Int64 = 0
            for container in try tables.containers() where container.container != KeyZone.container {
                sum += try tables.counts(container.id).changes
            }
            return sum
        }
        guard unsent == call.parameters.unsent else {
            throw .unsentChanges(
                count: unsent,
                message: unsent == 0
                    ? "There are no changes that are not sent." : "\(unsent) changes are not sent, and would be lost.")
        }
        let later = call.later
        do throws(StorageError) {
            try carrier.leave { later.answer { () throws(Failure) in .init() } }
        } catch {
            throw .notStored(message: "The copy cannot be removed: \(error.message).")
        }
    }

    func getAccount(_ call: MethodCall<SyncInterface.GetAccount>) throws(Failure) {
        try requireAnybody(call.connection)
        guard call.call.wantsMore else {
            try requireOpenCopy()
            return call.reply(accountReply)
        }
        if isOpen { call.call.reply(EncodedReply(accountReply, continues: true)) }
        watchAccount(call.later)
    }

    func getAccountIdentifier(_ call: MethodCall<SyncInterface.GetAccountIdentifier>) throws(Failure) {
        let container = try container(call.parameters.container, nil, call.connection)
        let key = try account.identifierKey
        let identifier: UniqueID?
        do throws(SystemError) { identifier = try AccountIdentifier.make(of: container.name, key: key) } catch {
            throw .notStored(message: "The identifier cannot be computed: \(error).")
        }
        guard let identifier else { throw .notStored(message: "The key of the account's identifiers is damaged.") }
        // Whoever receives it is on the disk before.
        if case .app(let id, _, _) = caller(call.connection) {
            let hour = carrier.now / 3_600_000_000 * 3_600_000_000
            try write { (tables) throws(StorageError) in try tables.noteReader(id, container.name, hour: hour) }
        }
        call.reply(.init(identifier: identifier.description))
    }

    func listIdentifierReaders(_ call: MethodCall<SyncInterface.ListIdentifierReaders>) throws(Failure) {
        try requirePerson(call.connection)
        let readers = try read { (tables) throws(StorageError) in try tables.readers() }
        call.reply(
            .init(
                readers: readers.map {
                    SyncInterface.IdentifierReader(
                        app: $0.app, container: $0.container, first: $0.first, last: $0.last)
                }))
    }

    func getStatus(_ call: MethodCall<SyncInterface.GetStatus>) throws(Failure) {
        try requirePerson(call.connection)
        let containers = try isOpen ? self.containers() : []
        let account = accountReply
        call.reply(
            .init(
                version: WaymarkVersion.text, state: account.state, hub: carrier.account?.hub, account: account.account,
                device: account.device, activity: carrier.activity.word, connected: carrier.isConnected,
                lastContact: carrier.lastContact, problem: carrier.problem, nextAttempt: carrier.nextAttempt,
                copyForm: sealing.form, copyProblem: cache.obstacle.map(CopySealing.sentence) ?? sealing.problem,
                containers: containers))
    }

    private func containers() throws(Failure) -> [SyncInterface.Container] {
        try read { (tables) throws(StorageError) -> [SyncInterface.Container] in
            var list: [SyncInterface.Container] = []
            for row in try tables.containers() where row.container != KeyZone.container {
                let counts = try tables.counts(row.id)
                list.append(
                    SyncInterface.Container(
                        name: row.container.name.text, environment: row.container.environment.rawValue,
                        zones: counts.zones, records: counts.records, pending: counts.changes - counts.refused,
                        refused: counts.refused))
            }
            return list
        }
    }
}

extension Carrier.Activity {
    fileprivate var word: String {
        switch self {
        case .noAccount, .removed, .idle: "idle"
        case .fetching: "fetching"
        case .sending: "sending"
        case .waiting, .suspended: "waiting"
        }
    }
}
