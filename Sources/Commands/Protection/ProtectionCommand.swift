import CommandLineKit
import Glibc
import Interfaces
import Varlink

/// `waymark protection`: whether the recorded positions are locked, and the secrets that unlock them.
enum ProtectionCommand {
    static let user = Option(
        "user", Value("USER", .named("users")), "whose lock, by name or number, instead of yours or the machine's")
    private static let machineSecrets = [SecretInput.recovery, SecretInput.stdin, SecretInput.ask, CommonOptions.json]
    static let secrets = [user] + machineSecrets
    private static let newSecrets = [user, SecretInput.stdin, SecretInput.ask, CommonOptions.json]

    static let command = Command(
        "protection", "protect recorded positions by a passphrase, and manage what unlocks them",
        discussion: [
            "Once a passphrase is set, recorded positions are sealed so that a stolen machine or disk gives nothing away"
                + " while they are locked. Recording goes on while they are locked, unless a manifest asks for the class"
                + " complete. After every start of the daemon they are locked until somebody unlocks them.",
            "Operators, such as root, lock and unlock the data of the machine. Every other user can set a passphrase of its own:"
                + " what this user's apps record then has a lock of its own, which only that passphrase opens. Without one it is"
                + " under the machine's lock. Visits and regions always are.",
            "`waymark lock` locks recorded positions, and `waymark unlock` unlocks them.",
            "Secrets are typed on the terminal and not shown, or read with --stdin or --ask-password; never from an"
                + " argument.",
        ],
        examples: [
            Command.Example("waymark protection set-passphrase", "Protect recorded positions from now on."),
            Command.Example("waymark protection add-recovery", "A key on paper, for a forgotten passphrase."),
        ],
        subcommands: [
            Command(
                "status", "show whether the data is locked, and what unlocks it",
                options: [user, Option("watch", "print each change, until Ctrl-C"), CommonOptions.json]),
            Command(
                "set-passphrase", "set the first passphrase, and seal what is recorded already",
                discussion: [
                    "If the passphrase is lost and there is no recovery key, the recorded positions are lost: nobody can"
                        + " unlock them. Add a recovery key afterwards with `waymark protection add-recovery`."
                ], options: newSecrets),
            Command(
                "change", "replace a passphrase or a recovery key by a new passphrase",
                discussion: ["With --stdin the present secret is the first line, and the new passphrase the second."],
                options: secrets),
            Command(
                "add-passphrase", "add another passphrase that unlocks",
                discussion: ["With --stdin the present secret is the first line, and the new passphrase the second."],
                options: secrets),
            Command(
                "add-recovery", "make a recovery key of 24 words, which is shown once",
                discussion: ["Write the words on paper. They are stored nowhere."], options: secrets),
            Command(
                "add-credential", "let the service manager's credential waymark.unlock unlock at each start",
                discussion: [
                    "For machines without a person: whoever can start the machine can then read the recorded positions."
                        + " The credential has 32 bytes, such as LoadCredentialEncrypted= passes it. The machine's lock only."
                ], options: machineSecrets),
            Command(
                "remove", "remove one of the secrets that unlock",
                options: secrets,
                arguments: [
                    Command.Argument(
                        Value("NUMBER", .integer(1...Int.max)),
                        "the number of the secret in `waymark protection status`")
                ]),
            Command(
                "switch-off", "remove protection: everything can be read without a secret again",
                discussion: [
                    "Recorded positions, visits and regions are brought back to the state without a passphrase, and then all"
                        + " keys and secrets are removed. Whoever has this machine can read everything afterwards. It"
                        + " goes on while the machine records, and after a crash with the next unlock; `waymark protection"
                        + " status` shows how much remains."
                ], options: secrets + [AppOptions.yes]),
            Command(
                "renew-machine-secret", "exchange the machine's secret for a new one",
                discussion: [
                    "Everything that is sealed with the former secret is sealed with the new one. The passphrases, recovery keys"
                        + " and credentials that unlock stay the same, and are not needed. If the secret is a file in the state"
                        + " directory, a new one is made. If it is a credential, or the file of MachineSecret=, provide the"
                        + " new secret and the former one before: the page protection.md has the commands."
                ], options: [CommonOptions.json]),
            Command(
                "reset", "remove the keys of a user who has lost every secret, and erase what they seal",
                discussion: [
                    "Recorded positions that are sealed with the keys of this user are erased: nobody can open them any more."
                        + " Afterwards the user's recordings are under the machine's lock again. It needs an operator, and no"
                        + " secret."
                ], options: [CommonOptions.json, AppOptions.yes],
                arguments: [Command.Argument(Value("USER", .named("users")), "whose keys, by name or number")]),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        let daemon = session.daemon
        var input = SecretInput(session)
        let isRecovery = session.invocation.has("recovery") ? true : nil
        let user = try AppOptions.user(session).map { Int64($0) }
        switch session.invocation.path.last {
        case "set-passphrase":
            session.remarks.hint(
                "If this passphrase is lost, and you have no recovery key, the recorded positions are lost.")
            let reply = try daemon.call(
                ProtectionInterface.SetPassphrase(passphrase: try input.new(), user: user), waiting: patience)
            try show(reply, reply.status, session, ProtectionText.isSet(reply.status))
        case "change":
            let secret = try input.present()
            let reply = try daemon.call(
                ProtectionInterface.ChangePassphrase(
                    secret: secret, isRecovery: isRecovery, passphrase: try input.new(), user: user),
                waiting: patience)
            try show(reply, reply.status, session, "The passphrase was changed.")
        case "add-passphrase":
            let secret = try input.present()
            let reply = try daemon.call(
                ProtectionInterface.AddPassphrase(
                    secret: secret, isRecovery: isRecovery, passphrase: try input.new(), user: user),
                waiting: patience)
            try show(reply, reply.status, session, "Another passphrase unlocks from now on.")
        case "add-recovery":
            let reply = try daemon.call(
                ProtectionInterface.AddRecovery(secret: try input.present(), isRecovery: isRecovery, user: user),
                waiting: patience)
            if session.isJSON { return try session.print(json: reply.bytes) }
            try session.print(ProtectionText.recovery(reply.words))
        case "add-credential":
            let reply = try daemon.call(
                ProtectionInterface.AddCredential(secret: try input.present(), isRecovery: isRecovery),
                waiting: patience)
            try show(reply, reply.status, session, "The credential unlocks at each start from now on.")
        case "remove":
            let number = session.invocation.argument("NUMBER").flatMap { Int64($0) } ?? 0
            let reply = try daemon.call(
                ProtectionInterface.Remove(
                    secret: try input.present(), isRecovery: isRecovery, number: number, user: user),
                waiting: patience)
            try show(reply, reply.status, session, "Secret \(number) does not unlock any more.")
        case "switch-off":
            try AppOptions.confirm(
                "Everything that was recorded can then be read by whoever has this machine. Switch protection off?",
                session)
            let reply = try daemon.call(
                ProtectionInterface.SwitchOff(secret: try input.present(), isRecovery: isRecovery, user: user),
                waiting: patience)
            try show(reply, reply.status, session, ProtectionText.ending(reply.status))
        case "renew-machine-secret":
            let reply = try daemon.call(ProtectionInterface.RenewMachineSecret(), waiting: patience)
            try show(reply, reply.status, session, ProtectionText.renewed(reply.status))
        case "reset":
            let name = session.invocation.argument("USER") ?? ""
            let uid = try AppOptions.user(name)
            try AppOptions.confirm(
                "What is sealed with the keys of \(UserName.text(Int64(uid))) is erased for good. Remove these keys?",
                session)
            let reply = try daemon.call(ProtectionInterface.Reset(user: Int64(uid)), waiting: patience)
            try show(
                reply, reply.status, session,
                "The keys of \(UserName.text(Int64(uid))) were removed, and what was sealed with them is erased.")
        default:
            if session.invocation.has("watch") { return try watch(session) }
            let reply = try daemon.call(ProtectionInterface.Status(user: user))
            if session.isJSON { return try session.print(json: try reply.bytes(of: "status")) }
            for line in ProtectionText.lines(reply.status) { try session.print(sentence: line) }
        }
    }

    /// How long deriving a key may take on a small machine, in seconds, besides the usual time for a reply.
    static let patience = 50.0

    static func show<Method: VarlinkMethod>(
        _ reply: MethodReply<Method>, _ status: ProtectionInterface.Report, _ session: Session, _ sentence: String
    ) throws(CommandFailure) {
        if session.isJSON { return try session.print(json: try reply.bytes(of: "status")) }
        try session.print(sentence: sentence)
    }

    private static func watch(_ session: Session) throws(CommandFailure) {
        let stream = try session.daemon.stream(ProtectionInterface.Monitor(), until: try session.interruption())
        while true {
            switch try stream.next() {
            case .nothing: continue
            case .ended: throw .failed("Disconnected", "The daemon has ended the connection.", .notRunning)
            case .reply(let reply):
                let change = try reply.read(as: ProtectionInterface.Monitor.self)
                if session.isJSON {
                    try session.print(json: change.bytes)
                } else {
                    try session.print(
                        sentence: ProtectionText.availability(
                            change.isProtectedDataAvailable, endsIn: change.becomesUnavailableIn))
                }
            }
        }
    }
}
