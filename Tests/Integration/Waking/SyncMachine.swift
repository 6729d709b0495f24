import Glibc
import Hub
import JSONText
import Platform
import SyncInterface
import TestHubs
import TestSupport
import Varlink

/// The copy of an account on a machine of a test: a waymark-sync that reports to a daemon, or to none.
final class SyncMachine {
    static let container = "org.example.notes"

    let folder: TemporaryDirectory
    /// The socket at which apps use the copy.
    let socket: String
    private let program: ServedProgram

    /// - Parameters:
    ///   - group: The control group of the service, which says for whose apps it reports.
    ///   - user: The user as whom it runs.
    ///   - entrance: A prefix of its command.
    ///   - directory: Where it is; nil for a new one.
    ///   - copy: The folder with the copy; nil for one below.
    init(
        _ hub: HubProcess, as device: String, of account: String = "alice", daemon: String? = nil,
        group: TemporaryControlGroup? = nil, user: uid_t? = nil, entrance prefix: [String] = [],
        in directory: TemporaryDirectory? = nil, copy: String? = nil
    ) throws {
        folder = try directory ?? TemporaryDirectory()
        socket = folder.file("sync.sock")
        var entrance = prefix
        if let group {
            entrance += ["/bin/sh", "-c", #"echo $$ >"$0/cgroup.procs" && exec "$@""#, group.folder]
        }
        if let user {
            let path = folder.path
            try retrying("give away", subject: path) { chown(path, user, user) }
            entrance += ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
        }
        program = try ServedProgram(
            "waymark-sync", in: folder,
            ["--folder", copy ?? folder.file("copy"), "--listen", socket, "--daemon", daemon ?? folder.file("none")],
            entrance: entrance
        ) { [socket] in attempt { try Client(path: socket, timeout: .seconds(5)) } != nil }
        let invitation = try hub.call(HubInterface.Invite(account: account, device: device, seconds: nil))
        _ = try call(SyncInterface.Join(hub: invitation.address, code: invitation.code))
    }

    @discardableResult
    func call<Method: VarlinkMethod>(_ method: Method) throws -> Method.Reply {
        try Client(path: socket, timeout: .seconds(60)).call(method, timeout: .seconds(60))
    }

    /// Has it follow a container from now on, as the first call of an app does, and makes a zone in it.
    func use(_ name: String = container, _ environment: String = "production") throws {
        try call(SyncInterface.ModifyZones(container: name, environment: environment, save: ["notes"]))
        try call(SyncInterface.Synchronize())
    }

    /// Saves a record, and returns when the hub has it.
    func save(_ text: String, in name: String = container, _ environment: String = "production") throws {
        let request: JSON = [
            "save": [
                [
                    "policy": "allKeys",
                    "record": ["name": "n1", "type": "Note", "fields": ["text": ["string": .string(text)]]],
                ]
            ]
        ]
        try call(
            SyncInterface.ModifyRecords(container: name, environment: environment, zone: "notes", request: request))
        try call(SyncInterface.Synchronize())
    }

    /// Saves a record of the public database.
    func saveToEverybody(_ name: String, _ text: String) throws {
        let record: JSON = ["name": .string(name), "type": "Report", "fields": ["text": ["string": .string(text)]]]
        let reply = try call(
            SyncInterface.ModifyPublicRecords(
                container: Self.container, request: ["save": [["policy": "allKeys", "record": record]]]))
        guard reply.outcomes.first?["saved"] != nil else {
            throw HubProcess.Failure(description: "not saved: \(reply.outcomes)")
        }
    }

    /// The text of the record.
    func text(in name: String = container, _ environment: String = "production") throws -> String? {
        let page = try call(SyncInterface.ListRecords(container: name, environment: environment, zone: "notes"))
        return page.records.first?["fields"]?["text"]?["string"]?.stringValue
    }

    /// Waits until the copy has a text.
    func waitFor(_ text: String, in name: String = container, _ environment: String = "production") throws {
        guard eventually(within: Patience.daemon, { attempt { try self.text(in: name, environment) } == text }) else {
            throw HubProcess.Failure(description: "the copy has no \(text): \(log)")
        }
    }

    /// Ends it in order.
    func stop() throws { try program.stop() }

    /// Starts it again.
    func start() throws { try program.start() }

    /// How the copy is stored, and whether it is open.
    func status() throws -> SyncInterface.GetStatus.Reply { try call(SyncInterface.GetStatus()) }

    /// Waits until the copy is stored so.
    func waitFor(_ form: SyncInterface.CopyForm) throws {
        guard eventually(within: Patience.daemon, { attempt { try status().copyForm } == form }) else {
            throw HubProcess.Failure(description: "the copy is not \(form): \(log)")
        }
    }

    /// The files of the copy, by name.
    func files() throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for name in DirectoryListing.names(folder.file("copy")) {
            found[name] = try BoundedFile.bytes(of: "\(folder.file("copy"))/\(name)", limit: 1 << 26)
        }
        return found
    }

    var processID: pid_t { program.processID }

    /// Ends it by SIGKILL and starts it again, after what happens meanwhile.
    func crash(_ meanwhile: () throws -> Void = {}) throws { try program.crash(meanwhile) }

    var log: String { program.log }
}
