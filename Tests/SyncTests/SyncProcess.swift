import Glibc
import Hub
import JSONText
import Platform
import SyncInterface
import TestHubs
import TestSupport
import Varlink

/// A waymark-sync for one test.
final class SyncProcess: @unchecked Sendable {
    let folder: TemporaryDirectory
    let socket: String
    private let program: ServedProgram

    /// - Parameters:
    ///   - copy: The folder with the copy; nil for one below `folder`.
    ///   - entrance: A prefix of its command.
    init(more: [String] = [], copy: String? = nil, entrance: [String] = []) throws {
        folder = try TemporaryDirectory()
        socket = folder.file("sync.sock")
        let arguments = ["--folder", copy ?? folder.file("copy"), "--listen", socket, "--daemon", folder.file("none")]
        program = try ServedProgram("waymark-sync", in: folder, arguments + more, entrance: entrance) { [socket] in
            attempt { try Client(path: socket, timeout: .seconds(5)) } != nil
        }
    }

    /// Ends it by SIGKILL and starts it again.
    func crash() throws { try program.crash() }

    /// Ends it in order.
    func stop() throws { try program.stop() }

    /// Starts it again.
    func start() throws { try program.start() }

    var log: String { program.log }

    func call<Method: VarlinkMethod>(_ method: Method) throws -> Method.Reply {
        try Client(path: socket, timeout: .seconds(60)).call(method, timeout: .seconds(60))
    }

    /// Joins an account of a hub.
    /// - Parameter address: That of a proxy; nil for the hub's own.
    func join(_ hub: HubProcess, as device: String, of account: String = "alice", address: String? = nil) throws {
        let invitation = try hub.call(HubInterface.Invite(account: account, device: device, seconds: nil))
        let reply = try call(SyncInterface.Join(hub: address ?? invitation.address, code: invitation.code))
        guard reply.account == account, reply.device == device else {
            throw HubProcess.Failure(description: "joined as \(reply)")
        }
    }

    static let container = "org.example.notes"

    func makeZone(_ name: String = "notes") throws {
        _ = try call(SyncInterface.ModifyZones(container: Self.container, save: [name]))
    }

    func save(_ name: String, _ text: String, policy: String = "ifServerRecordUnchanged") throws {
        let request: JSON = [
            "save": [
                [
                    "policy": .string(policy),
                    "record": [
                        "name": .string(name), "type": "Note", "fields": ["text": ["string": .string(text)]],
                    ],
                ]
            ]
        ]
        _ = try call(SyncInterface.ModifyRecords(container: Self.container, zone: "notes", request: request))
    }

    func delete(_ name: String) throws {
        _ = try call(
            SyncInterface.ModifyRecords(
                container: Self.container, zone: "notes", request: ["delete": [["name": .string(name)]]]))
    }

    func synchronize() throws { _ = try call(SyncInterface.Synchronize()) }

    /// The texts of the notes of a zone.
    func notes(_ owner: String? = nil) throws -> [String: String] {
        var found: [String: String] = [:]
        var last: String?
        repeat {
            let page = try call(
                SyncInterface.ListRecords(container: Self.container, owner: owner, zone: "notes", after: last))
            for record in page.records {
                found[record["name"]?.stringValue ?? ""] = record["fields"]?["text"]?["string"]?.stringValue
            }
            last = page.next
        } while last != nil
        return found
    }

    /// Waits until the copy has these notes, by the changes of the copy.
    func waitForNotes(_ expected: [String: String], owner: String? = nil) throws {
        let has = eventually { attempt { try notes(owner) } == expected }
        guard has else {
            throw HubProcess.Failure(
                description: "it has \(attempt { try notes(owner) } ?? [:]), not \(expected): \(log)")
        }
    }

    func refused() throws -> [SyncInterface.RefusedChange] {
        try call(SyncInterface.ListRefusedChanges(container: Self.container)).refused
    }

    /// The number of changes that were not sent.
    func unsent() throws -> Int64 { try status().containers.reduce(0) { $0 + $1.pending + $1.refused } }

    func status() throws -> SyncInterface.GetStatus.Reply { try call(SyncInterface.GetStatus()) }
}
