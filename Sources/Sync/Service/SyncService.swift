import Containers
import HTTP
import Interfaces
import JSONText
import Platform
import Records
import Storage
import SyncInterface
import Varlink

/// `io.waymark.Sync`: the copy of the account's records for programs on this machine.
@DaemonActor
final class SyncService {
    typealias Failure = SyncInterface.Failure

    let cache: SyncCache
    let carrier: Carrier
    let sealing: CopySealing
    let keys: FieldKeys
    let alerts: AlertQueue
    private let directory: CallerDirectory
    private var callers: [ObjectIdentifier: Known] = [:]
    /// Calls that get a reply with each change.
    private var watches: [ChangeWatch] = []
    private var accountWatches: [LateCall<SyncInterface.GetAccount>] = []
    /// Calls of `GetChanges` with `more` that wait until the copy is open, and have not ended meanwhile.
    private var waiting: [ObjectIdentifier: MethodCall<SyncInterface.GetChanges>] = [:]

    /// The containers that programs have used since the account was joined or this program was started.
    private var used: Set<Container> = []

    /// Who has made a connection, as long as it exists.
    private struct Known {
        weak var connection: ServerConnection?
        let caller: SyncCaller
    }

    /// A call of GetChanges with `more`.
    struct ChangeWatch {
        let call: LateCall<SyncInterface.GetChanges>
        let container: Container
        var revision: Int64
        let limit: Int
        /// The copy whose revision it is; nil if the program has not named it.
        var copy: String?
    }

    init(
        _ cache: SyncCache, _ carrier: Carrier, _ sealing: CopySealing, _ keys: FieldKeys, _ alerts: AlertQueue,
        _ directory: CallerDirectory
    ) {
        self.cache = cache
        self.carrier = carrier
        self.sealing = sealing
        self.keys = keys
        self.alerts = alerts
        self.directory = directory
        carrier.onChange = { [weak self] in self?.changed() }
        carrier.onAccount = { [weak self] in self?.accountChanged() }
        sealing.onOpen = { [weak self] in self?.opened() }
        sealing.onClose = { [weak self] in self?.alerts.removeMark() }
        keys.onKeys = { [weak self] in self?.changed() }
    }

    // Callers

    func caller(_ connection: ServerConnection) -> SyncCaller {
        let key = ObjectIdentifier(connection)
        if let known = callers[key], known.connection === connection { return known.caller }
        callers = callers.filter { $0.value.connection != nil }
        let caller = directory.caller(of: connection.peer)
        callers[key] = Known(connection: connection, caller: caller)
        return caller
    }

    /// Refuses everybody but the person.
    func requirePerson(_ connection: ServerConnection) throws(Failure) {
        switch caller(connection) {
        case .person: return
        case .stranger(let why): throw .notAllowed(message: why)
        case .app(let id, _, _):
            throw .notAllowed(
                message: "The app \(id) may not do this: it is for the person, for example with `waymark sync`.")
        }
    }

    func requireAnybody(_ connection: ServerConnection) throws(Failure) {
        if case .stranger(let why) = caller(connection) { throw .notAllowed(message: why) }
    }

    /// The container that a call is about.
    func container(_ name: String?, _ environment: String?, _ connection: ServerConnection) throws(Failure) -> Container
    {
        // Nobody but this program makes keys, or removes them.
        guard name != KeyZone.container.name.text else {
            throw .notAllowed(
                message: "This container has the keys of encrypted fields. `waymark sync devices` says who has them.")
        }
        let wanted = try environment.map { (text) throws(Failure) in
            guard let environment = ContainerEnvironment(rawValue: text) else {
                throw .invalidArgument(argument: "environment", message: "It is production or development.")
            }
            return environment
        }
        let parsed = try name.map { (text) throws(Failure) in
            try Self.name(text, "container", ContainerName.init, "a container, such as org.example.notes")
        }
        switch caller(connection) {
        case .stranger(let why): throw .notAllowed(message: why)
        case .person:
            guard let parsed else {
                throw .invalidArgument(
                    argument: "container", message: "It is missing: only an app has a container by its manifest.")
            }
            return Container(parsed, wanted ?? .production)
        case .app(let id, let containers, let environment):
            if let wanted, wanted != environment {
                throw .notAllowed(
                    message: "The app \(id) uses the environment \(environment.rawValue), as its manifest says.")
            }
            guard let found = parsed ?? containers.first, containers.contains(found) else {
                throw .notAllowed(
                    message: "The app \(id) may not use this container: Containers= of its manifest does not name it.")
            }
            return Container(found, environment)
        }
    }

    static func name<Value>(
        _ text: String, _ argument: String, _ make: (String) -> Value?, _ noun: String
    ) throws(Failure) -> Value {
        guard let value = make(text) else {
            throw .invalidArgument(argument: argument, message: "It is no name of \(noun).")
        }
        return value
    }

    var account: SyncAccount {
        get throws(Failure) {
            try requireOpenCopy()
            guard let account = carrier.account else {
                throw .noAccount(message: "This machine has joined no account. Join one with `waymark join`.")
            }
            return account
        }
    }

    /// The zone that a call is about.
    func zone(
        _ owner: String?, _ name: String?, in container: Container
    ) throws(Failure) -> ZoneID {
        let account = try account
        let owner = try owner.map { (text) throws(Failure) in
            try Self.name(text, "owner", AccountID.init, "an account")
        }
        let name = try name.map { (text) throws(Failure) in
            try Self.name(text, "zone", ZoneName.init(stored:), "a zone: 1 to 255 visible ASCII characters")
        }
        return ZoneID(container, owner: owner ?? account.id.account, name ?? .defaultZone)
    }

    /// Lets the carrier begin with a container that is used for the first time.
    func noteUse(of container: Container) {
        if used.insert(container).inserted { carrier.workSoon() }
    }

    // The copy

    /// Whether the copy is open.
    var isOpen: Bool { cache.obstacle == nil }

    /// Refuses a call while the copy is closed.
    func requireOpenCopy() throws(Failure) {
        if let obstacle = cache.obstacle { throw Self.notStored(obstacle) }
    }

    /// Calls of `GetChanges` go on when the copy is opened.
    func waitForOpening(_ call: MethodCall<SyncInterface.GetChanges>) {
        let number = ObjectIdentifier(call.call)
        waiting[number] = call
        call.call.onEnd = { [weak self] in self?.waiting[number] = nil }
    }

    private func opened() {
        alerts.update()
        let calls = waiting.values
        waiting = [:]
        for call in calls where !call.call.isOver && call.connection.isOpen {
            call.call.onEnd = nil
            do throws(Failure) { try getChanges(call) } catch { call.fail(error) }
        }
    }

    func read<Value>(_ body: (CacheTables) throws(StorageError) -> Value) throws(Failure) -> Value {
        do throws(StorageError) { return try cache.read(body) } catch { throw Self.notStored(error) }
    }

    func write<Value>(_ body: (CacheTables) throws(StorageError) -> Value) throws(Failure) -> Value {
        do throws(StorageError) { return try cache.write(body) } catch { throw Self.notStored(error) }
    }

    /// Makes a change that a rule may refuse, and then nothing of it is stored.
    func edit<Value>(
        _ body: (CacheTables) throws(StorageError) -> Result<Value, EditRefusal>
    ) throws(Failure) -> Value {
        var refusal: EditRefusal?
        do throws(StorageError) {
            let value = try cache.write { (tables) throws(StorageError) -> Value in
                switch try body(tables) {
                case .success(let value): return value
                case .failure(let why):
                    refusal = why
                    throw StorageError("change the copy", .closed, "the change is refused")
                }
            }
            changed()
            carrier.noteChange()
            return value
        } catch {
            if let refusal { throw Self.failure(refusal) }
            throw Self.notStored(error)
        }
    }

    static func notStored(_ error: StorageError) -> Failure {
        if error.reason == .protectedDataUnavailable {
            return .protectedDataUnavailable(message: CopySealing.sentence(error))
        }
        if error.reason == .unreadable { return .notStored(message: CopySealing.sentence(error)) }
        Log.error("\(error)")
        return .notStored(message: error.sentence)
    }

    private static func failure(_ refusal: EditRefusal) -> Failure {
        switch refusal {
        case .zoneNotFound(let name):
            .zoneNotFound(message: "There is no zone \(name) here. Make it with ModifyZones.")
        case .limitExceeded(let subject, let most):
            .limitExceeded(
                limit: subject.rawValue, most: Int64(most),
                message: "At most \(most) are permitted by the limit \(subject.rawValue). Send less at once.")
        case .namedTwice(let name):
            .invalidArgument(argument: "request", message: "\(name) is named twice in one request.")
        case .defaultZone:
            .invalidArgument(argument: "save", message: "The default zone always exists and cannot be deleted.")
        case .assetNotFound(let name, _):
            .assetNotFound(
                message:
                    "The copy does not have the bytes of an asset of the record \(name). Add them with AddAsset first.")
        case .changed(let name):
            .recordsChanged(
                message: "The record \(name) has been changed since it was read. Read it again, and compare.")
        case .typeDiffers(let name, let type):
            .invalidArgument(
                argument: "request", message: "The record \(name) has the type \(type), which never changes.")
        }
    }

    private func zone(_ change: CacheTables.SeenChange, _ container: Container) -> ZoneID? {
        guard let owner = AccountID(change.owner), let name = ZoneName(stored: change.zone) else { return nil }
        return ZoneID(container, owner: owner, name)
    }

    // Streams

    /// Replies to the calls that wait for changes.
    func changed() {
        var open: [ChangeWatch] = []
        for var watch in watches where watch.call.call != nil {
            if send(&watch) { open.append(watch) }
        }
        watches = open
    }

    func watch(_ watch: ChangeWatch) {
        var watch = watch
        if send(&watch, always: true) { watches.append(watch) }
    }

    /// Sends all pages that there are. Returns whether the call goes on.
    private func send(_ watch: inout ChangeWatch, always: Bool = false) -> Bool {
        var always = always
        while true {
            do throws(Failure) {
                let page = try changes(
                    watch.container, since: watch.revision, of: watch.copy, limit: watch.limit)
                if page.changes.isEmpty, !page.reset, !always { return true }
                always = false
                watch.call.call?.reply(EncodedReply(page, continues: true))
                watch.revision = page.revision
                // After a reset the program begins anew, in whichever copy there is.
                if page.reset { watch.copy = page.copy }
                if !page.moreComing { return true }
            } catch {
                watch.call.fail(error)
                return false
            }
        }
    }

    func watchAccount(_ call: LateCall<SyncInterface.GetAccount>) { accountWatches.append(call) }

    private func accountChanged() {
        used = []
        alerts.update()
        accountWatches.removeAll { $0.call == nil }
        for call in accountWatches { call.call?.reply(EncodedReply(accountReply, continues: true)) }
        changed()
    }

    var accountReply: SyncInterface.GetAccount.Reply {
        guard let account = carrier.account else { return .init(state: .noAccount) }
        return .init(
            state: account.isRemoved ? .removed : .active, account: account.id.account.text,
            device: account.id.device.text, copy: account.copy)
    }

    /// A page of what has changed after a revision of a copy.
    func changes(
        _ container: Container, since: Int64, of copy: String?, limit: Int
    ) throws(Failure) -> SyncInterface.GetChanges.Reply {
        let own = carrier.account?.id.account.text
        let present = carrier.account?.copy
        if let copy, copy != present {
            return .init(changes: [], revision: 0, moreComing: present != nil, reset: true, copy: present)
        }
        return try read { (tables) throws(StorageError) in
            guard let row = try tables.find(container) else {
                // Another account, or none: what the app has is of no use any more.
                return .init(changes: [], revision: 0, moreComing: false, reset: since > 0, copy: present)
            }
            if since > row.revision || since > 0 && since < row.forgottenThrough {
                return .init(changes: [], revision: 0, moreComing: true, reset: true, copy: present)
            }
            let (found, moreComing) = try tables.changes(in: row, since: since, limit: limit)
            return .init(
                changes: found.map { change in
                    let record = change.record.flatMap { record in
                        zone(change, container).map { keys.opened(record, in: $0) }
                    }
                    return .init(
                        owner: change.owner == own ? nil : change.owner, zone: change.zone, name: change.name,
                        record: record?.json, deleted: change.reason?.rawValue, local: change.isLocal,
                        pending: change.isPending, revision: change.revision)
                }, revision: found.last?.revision ?? row.revision, moreComing: moreComing, reset: false, copy: present)
        }
    }
}
