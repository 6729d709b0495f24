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
    private let more: [String]
    private var process: ChildProcess

    var processID: Int32 { process.processID }
    var socket: String { folder.file("sync.sock") }

    init(more: [String] = []) throws {
        folder = try TemporaryDirectory()
        self.more = more
        process = try Self.launch(folder, more)
        try waitUntilServing()
    }

    private static func launch(_ folder: TemporaryDirectory, _ more: [String]) throws -> ChildProcess {
        let path = folder.file("log")
        let log = try OwnedDescriptor("open", subject: path) {
            open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        let arguments = [
            "--folder", folder.file("copy"), "--listen", folder.file("sync.sock"), "--daemon", folder.file("none"),
        ]
        return try ChildProcess(
            ChildProcess.Launch(
                Products.program("waymark-sync"), arguments + more, output: .descriptor(log.number),
                error: .descriptor(log.number), isGuarded: true))
    }

    private func waitUntilServing() throws {
        let serves = try eventually {
            try process.exitStatus() != nil || attempt { try Client(path: socket, timeout: .seconds(5)) } != nil
        }
        guard serves, try process.exitStatus() == nil else {
            throw HubProcess.Failure(description: "it does not serve: \(log)")
        }
    }

    /// Ends it by SIGKILL and starts it again.
    func crash() throws {
        process.signal(SIGKILL)
        guard try process.wait(seconds: 60) != nil else { throw HubProcess.Failure(description: "it survived SIGKILL") }
        process = try Self.launch(folder, more)
        try waitUntilServing()
    }

    /// Ends it in order.
    func stop() throws {
        let status = try process.terminate(graceSeconds: 30)
        guard status == .exited(0) else { throw HubProcess.Failure(description: "it \(status): \(log)") }
    }

    var log: String {
        attempt { String(decoding: try BoundedFile.bytes(of: folder.file("log"), limit: 1 << 20), as: UTF8.self) } ?? ""
    }

    func call<Method: VarlinkMethod>(_ method: Method) throws -> Method.Reply {
        try Client(path: socket, timeout: .seconds(60)).call(method, timeout: .seconds(60))
    }

    /// Joins an account of a hub.
    func join(_ hub: HubProcess, as device: String, of account: String = "alice") throws {
        let invitation = try hub.call(HubInterface.Invite(account: account, device: device, seconds: nil))
        let reply = try call(SyncInterface.Join(hub: invitation.address, code: invitation.code))
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

    func status() throws -> SyncInterface.GetStatus.Reply { try call(SyncInterface.GetStatus()) }
}
