import CommandLineKit
import Interfaces
import Platform
import Varlink

/// Calls the administration of a hub that runs, over the control socket of its folder.
struct HubClient {
    private let socket: String

    private static let timeout = Duration.seconds(30)

    /// For the hub of the folder that a command names.
    init(_ invocation: Invocation) {
        socket = HubFolder(path: invocation.text("folder") ?? HubFolder.standard).controlSocket
    }

    func call<Method: VarlinkMethod>(_ method: Method) throws -> Method.Reply {
        let client = try Client(path: socket, timeout: Self.timeout)
        return try client.call(method, timeout: Self.timeout)
    }
}
