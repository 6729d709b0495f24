import CommandLineKit
import Glibc

/// What a command for a hub that runs has: its arguments, the hub, and standard output.
struct HubConsole {
    let invocation: Invocation
    let client: HubClient
    let output = Output(descriptor: STDOUT_FILENO)

    init(_ invocation: Invocation) {
        self.invocation = invocation
        client = HubClient(invocation)
    }

    /// The container that the command names.
    var container: String { invocation.argument("CONTAINER") ?? "" }

    /// The last word of the command.
    var word: String { invocation.path.last ?? "" }

    /// Whether the reply itself is printed.
    var isJSON: Bool { invocation.has("json") }
}
