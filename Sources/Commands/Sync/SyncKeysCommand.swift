import CommandLineKit
import SyncInterface

/// `waymark sync devices`, `trust` and `reset-encryption`: which machines have the key of the account's encrypted fields.
enum SyncKeysCommand {
    static let commands = [
        Command(
            "devices", "list the machines that may read encrypted fields",
            discussion: [
                "Apps can have fields that the hub stores and cannot read. The first machine of an account that uses one makes a"
                    + " key, and each further machine needs the trust of one that has it: on the new machine this command shows a"
                    + " code, which `waymark sync trust` asks for on a trusted one. The code is a secret: carry it from one screen"
                    + " to the other, and over nothing that the hub's owner can read.",
                "A machine that is removed from the account (`waymark-hub remove`, `waymark leave`) loses the trust by itself: the"
                    + " others make another key. What it has read stays with it.",
            ], options: [SyncLink.socket, CommonOptions.json]),
        Command(
            "trust", "let a new machine of the account read encrypted fields",
            discussion: [
                "CODE is what `waymark sync devices` shows on the new machine. Without CODE it is read from the terminal, where it"
                    + " is not shown, because other users can read the arguments of a command while it runs."
            ], options: [SecretInput.stdin, SyncLink.socket, CommonOptions.json],
            arguments: [Command.Argument(Value("CODE"), "the code of the new machine", isOptional: true)]),
        Command(
            "reset-encryption", "begin with a new key, where no machine has the present one any more",
            discussion: [
                "Values that only lost machines could read are removed. Zones that have such values are deleted at the hub and"
                    + " made again without them. Apps on other machines that have the values save them again. All other machines"
                    + " have to be trusted again.",
                "The hub removes the files of such zones with them. Those that are not on this machine are downloaded first, and sent"
                    + " again afterwards, which needs the hub and room on the disk. If that is not possible, nothing is reset, except"
                    + " with --lose-files.",
                "As long as one trusted machine works, this command is not needed: `waymark sync trust` there.",
            ], options: [loseFiles, AppOptions.yes, SyncLink.socket, CommonOptions.json]),
    ]

    private static let loseFiles = Option(
        "lose-files", "download nothing: files that are not on this machine are lost, unless another one has them")
    /// How long a reset may take that downloads files.
    private static let longestReset: Double = 7 * 86_400

    /// Performs one of the commands; false for the name of another one.
    static func run(_ name: String?, _ session: Session) throws(CommandFailure) -> Bool {
        switch name {
        case "devices": try devices(session)
        case "trust": try trust(session)
        case "reset-encryption": try reset(session)
        default: return false
        }
        return true
    }

    private static func devices(_ session: Session) throws(CommandFailure) {
        let reply = try SyncLink(session).call(SyncInterface.GetKeys())
        if session.isJSON { return try session.print(json: reply.bytes) }
        if let problem = reply.problem { try session.print(sentence: problem.escapingControls) }
        switch reply.state {
        case .unused: try session.print(sentence: "No app has used an encrypted field on this machine.")
        case .unknown:
            try session.print(sentence: "The hub has not been asked for the keys yet. `waymark sync` says why.")
        case .untrusted:
            let text = [
                "This machine cannot read encrypted fields yet. On a machine that can, type this command:", "",
                "    waymark sync trust", "", "It asks for this code:", "", "    \(reply.code ?? "")", "",
                "Carry it from this screen to the other one, and over nothing that the hub's owner can read.",
            ]
            try session.print(text.flatMap { $0.hasPrefix(" ") || $0.isEmpty ? [$0] : session.terminal.wrapped($0) })
        case .trusted:
            var table = Table(["MACHINE", "ENCRYPTED FIELDS"].map { .init($0) })
            for machine in reply.machines {
                table.add([
                    Table.Cell(machine.name + (machine.own ? " (this one)" : "")),
                    Table.Cell(machine.trusted ? "trusted" : "not trusted yet: `waymark sync trust`"),
                ])
            }
            try session.print(table.lines(for: session.terminal))
        }
    }

    private static func trust(_ session: Session) throws(CommandFailure) {
        var code = session.invocation.argument("CODE") ?? ""
        if code.isEmpty {
            var input = SecretInput(session, asks: false)
            code = try input.secret("Code: ")
        }
        let reply = try SyncLink(session).call(SyncInterface.TrustMachine(code: code), seconds: 120)
        if session.isJSON { return try session.print(json: reply.bytes) }
        try session.print(sentence: "The machine \(reply.name) is trusted now, and can read encrypted fields soon.")
    }

    private static func reset(_ session: Session) throws(CommandFailure) {
        let plan = try SyncLink(session).call(SyncInterface.ExamineReset())
        let losesFiles = session.invocation.has(loseFiles.name)
        var question =
            "Remove the values of encrypted fields that this machine cannot read, on all machines and for good?"
        if plan.assets > 0 {
            let files = files(plan.assets, plan.assetBytes)
            question =
                losesFiles
                ? "\(files) are not on this machine. They are removed at the hub as well, and lost unless another machine"
                    + " has them. \(question)"
                : "\(files) are not on this machine, and are downloaded first. \(question)"
        }
        try AppOptions.confirm(question, session)
        let reply = try SyncLink(session).call(
            SyncInterface.ResetKeys(loseAssets: losesFiles), seconds: longestReset)
        if session.isJSON { return try session.print(json: reply.bytes) }
        try session.print(
            sentence:
                "This machine makes a new key. Zones that were reset: \(reply.zones). Trust the other machines again with"
                + " `waymark sync trust`.")
        guard reply.lostAssets > 0 else { return }
        try session.print(
            sentence:
                "\(files(reply.lostAssets, reply.lostBytes)) are lost, unless another machine has them and sends them again."
        )
    }

    private static func files(_ count: Int64, _ bytes: Int64) -> String {
        "Files of these zones (\(count), with \(bytes) bytes)"
    }
}
