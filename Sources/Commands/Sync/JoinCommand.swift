import CommandLineKit
import SyncInterface

/// `waymark join` and `waymark leave`: the account whose records are the same on all of its machines.
enum JoinCommand {
    static let join = Command(
        "join", "join the account of an invitation, to share records with one's other machines",
        discussion: [
            "ADDRESS and CODE are what `waymark-hub invite` has printed. Without CODE it is read from the terminal, where it"
                + " is not shown, because other users can read the arguments of a command while it runs.",
            "A person joins for the apps of this user. As root the command joins for the services of this machine, which have"
                + " an account of their own.",
        ],
        options: [
            SecretInput.stdin, SyncLink.socket, CommonOptions.json,
        ],
        arguments: [
            Command.Argument(Value("ADDRESS"), "the address of the hub, such as https://server:8743"),
            Command.Argument(Value("CODE"), "the code of the invitation", isOptional: true),
        ],
        examples: [
            Command.Example("waymark join https://server:8743", "Join, and paste the code at the prompt.")
        ])

    static let leave = Command(
        "leave", "leave the account, and remove the copy of its records from this machine",
        discussion: [
            "The records stay at the hub and on the other machines. Changes that were not sent would be lost: with any of"
                + " them the command does nothing, unless --discard is given."
        ],
        options: [
            Option("discard", "also where changes that were not sent are lost by it"), SyncLink.socket,
            CommonOptions.json,
        ],
        examples: [Command.Example("waymark leave", "This machine has none of the account's records any more.")])

    static func runJoin(_ session: Session) throws(CommandFailure) {
        let address = session.invocation.argument("ADDRESS") ?? ""
        var code = session.invocation.argument("CODE") ?? ""
        if code.isEmpty {
            var input = SecretInput(session, asks: false)
            code = try input.secret("Code: ")
        }
        let reply = try SyncLink(session).call(SyncInterface.Join(hub: address, code: code), seconds: 90)
        if session.isJSON { return try session.print(json: reply.bytes) }
        try session.print(
            sentence: "This machine has joined the account \(reply.account) as \(reply.device)."
                + " `waymark sync` shows what happens.")
    }

    /// How long it may take to overwrite a copy with many files.
    private static let longestRemoval: Double = 3_600

    static func runLeave(_ session: Session) throws(CommandFailure) {
        let link = SyncLink(session)
        var unsent: Int64 = 0
        if session.invocation.has("discard") {
            unsent = try link.call(SyncInterface.GetStatus()).containers.reduce(0) { $0 + $1.pending + $1.refused }
        }
        do throws(CommandFailure) {
            let reply = try link.call(SyncInterface.Leave(unsent: unsent), seconds: longestRemoval)
            if session.isJSON { return try session.print(json: reply.bytes) }
        } catch {
            guard case .failed(let name, let message, let code) = error, name.hasSuffix(".UnsentChanges") else {
                throw error
            }
            throw .failed(
                name: name,
                message: message
                    + " Send them with `waymark sync now`, or discard them with `waymark leave --discard`.",
                code)
        }
        try session.print(sentence: "This machine has left the account, and the copy of its records is removed.")
    }
}
