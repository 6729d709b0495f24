import Hub
import Platform
import SyncInterface
import TestSupport
import Varlink

/// A `waymark-sync` that has joined alice's account at a hub, with its copy in a folder on the disk.
final class RunningMachine {
    /// The container of the records of a benchmark, for calls of `waymark-sync`.
    static let container = "org.example.benchmark"

    let folder: TemporaryDirectory
    let client: Client
    let process: ChildProcess

    init(_ device: String, of hub: RunningHub) throws {
        folder = try TemporaryDirectory()
        let socket = folder.file("sync.sock")
        process = try ChildProcess(
            ChildProcess.Launch(
                try Products.program("waymark-sync"),
                ["--folder", folder.file("copy"), "--listen", socket, "--daemon", folder.file("none")], isGuarded: true)
        )
        var found: Client?
        _ = eventually {
            found = attempt { try Client(path: socket, timeout: .seconds(5)) }
            return found != nil
        }
        guard let found, let administration = hub.administration() else {
            throw HubClient.Failure(description: "waymark-sync or the hub does not run")
        }
        client = found
        let invitation = try administration.call(
            HubInterface.Invite(account: "alice", device: device, seconds: nil), timeout: .seconds(30))
        // The hub admits a few devices a second.
        let hasJoined = eventually {
            attempt {
                try found.call(
                    SyncInterface.Join(hub: "http://localhost:\(hub.port.number)", code: invitation.code),
                    timeout: .seconds(30))
            } != nil
        }
        guard hasJoined else { throw HubClient.Failure(description: "waymark-sync does not join") }
    }

    func call<Method: VarlinkMethod>(_ method: Method) throws -> Method.Reply {
        try client.call(method, timeout: .seconds(600))
    }

    var figures: ProcessFigures { get throws { try ProcessFigures(process.processID) } }
}
