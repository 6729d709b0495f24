import CommandLineKit
import Interfaces
import JSONText
import Varlink

/// `waymark users`: the accounts with stored data.
enum UsersCommand {
    static let command = Command(
        "users",
        "show the users with stored data, and erase or restore it when an account was removed or changed",
        discussion: [
            "Decisions and recordings for the apps of a user belong to the account that had the number then. They are"
                + " no longer used when the account is removed, or when its number has another name."
        ],
        examples: [
            Command.Example("waymark users", "Shows accounts that are missing or have changed."),
            Command.Example("waymark users restore 1000", "After `usermod --login`: it is the same person."),
            Command.Example(
                "waymark users erase 1000 --yes", "In a script, before the number is given to somebody else."),
        ],
        subcommands: [
            Command(
                "list", "show the users with stored data",
                discussion: [
                    "DECIDED is the number of apps with a decision, POSITIONS the number of pending positions in"
                        + " RECORDINGS, ERASED the time until everything is erased automatically. No position is shown."
                        + " Needs an operator."
                ], options: [CommonOptions.json]),
            Command(
                "erase", "erase the decisions and recordings for the apps of a user", discussion: [needsRoot],
                options: [AppOptions.yes, CommonOptions.json], arguments: [user]),
            Command(
                "restore", "use the stored data again, for the account that has the number now",
                discussion: ["That account then has the recordings and the grants. \(needsRoot)"],
                options: [AppOptions.yes, CommonOptions.json], arguments: [user]),
        ], usual: "list")

    private static let needsRoot = "Needs root."
    private static let user = Command.Argument(
        Value("USER", .named("users")), "the number of the user, or the name of the account that it belonged to")

    static func run(_ session: Session) throws(CommandFailure) {
        switch session.invocation.path.last {
        case "erase": try erase(session)
        case "restore": try restore(session)
        default: try list(session)
        }
    }

    private static func list(_ session: Session) throws(CommandFailure) {
        let (users, objects) = try all(session)
        if session.isJSON {
            for object in objects { try session.print(json: object.bytes) }
            return
        }
        let now = Double(session.clock.utcMicroseconds) / 1e6
        try session.print(UserTable(now: now, terminal: session.terminal).lines(users))
        if users.isEmpty { session.remarks.say("There is no stored data of any user.") }
        if users.contains(where: { UserTable.needsDecision($0) }) {
            session.remarks.say("An account was removed or changed: \(UserTable.advice)")
        }
    }

    /// Warns a person of users whose stored data is not used.
    static func warn(_ session: Session) {
        guard !session.isJSON else { return }
        do throws(CommandFailure) {
            for warning in UserTable.warnings(try all(session).users) {
                session.remarks.say("\(warning) Type \(UserTable.advice)")
            }
        } catch {
            // The warning is an addition to what the person asked for.
            return
        }
    }

    private static func erase(_ session: Session) throws(CommandFailure) {
        let user = try chosen(session)
        try AppOptions.confirm("Erase all stored data of \(UserTable.title(user))?", session)
        let reply = try ManageLink(session).call(ManageInterface.EraseUser(uid: user.uid))
        if session.isJSON { return try session.print(json: reply.bytes) }
        try session.print(sentence: "All stored data of \(UserTable.title(user)) is erased.")
    }

    private static func restore(_ session: Session) throws(CommandFailure) {
        let user = try chosen(session)
        let now = user.otherName ?? user.name ?? "the account with this number"
        try AppOptions.confirm("Give the stored data of \(UserTable.title(user)) to \(now)?", session)
        let reply = try ManageLink(session).call(ManageInterface.RestoreUser(uid: user.uid))
        if session.isJSON { return try session.print(json: try reply.bytes(of: "user")) }
        try session.print(sentence: "The stored data belongs to \(UserTable.title(reply.user)), and is used again.")
    }

    /// The user of an argument: by number, or by the name of the account that the stored data belongs to.
    private static func chosen(_ session: Session) throws(CommandFailure) -> KnownUser {
        let text = session.invocation.argument("USER") ?? ""
        let users = try all(session).users
        if let user = users.first(where: { String($0.uid) == text }) ?? users.first(where: { $0.name == text }) {
            return user
        }
        throw .failed(
            "NoSuchUser",
            "There is no stored data of \(text). `waymark users` lists the users with stored data.")
    }

    static func all(_ session: Session) throws(CommandFailure) -> (users: [KnownUser], objects: [JSON]) {
        let list = try ManageLink(session).list(ManageInterface.ListUsers(), "users", of: KnownUser.self)
        return (list.elements, list.objects)
    }
}

/// Users with stored data, for a person.
struct UserTable {
    /// Seconds since 1970.
    let now: Double
    let terminal: Terminal

    /// One line for each user; empty without users.
    func lines(_ users: [KnownUser]) -> [String] {
        if users.isEmpty { return [] }
        var table = Table([
            .init("UID", isNumeric: true), .init("NAME"), .init("DECIDED", isNumeric: true),
            .init("REQUESTS", isNumeric: true), .init("RECORDINGS", isNumeric: true),
            .init("POSITIONS", isNumeric: true), .init("ERASED"), .init("STATE"),
        ])
        for user in users {
            table.add([
                Table.Cell(String(user.uid)), Table.Cell(user.name ?? "-"),
                Table.Cell(Measure.grouped(user.grants)),
                Table.Cell(Measure.grouped(user.requests)), Table.Cell(Measure.grouped(user.recordings)),
                Table.Cell(Measure.grouped(user.positions)), Table.Cell(erased(user)),
                Table.Cell(state(user), Self.isUsed(user) ? nil : .yellow),
            ])
        }
        return table.lines(for: terminal)
    }

    private func erased(_ user: KnownUser) -> String {
        user.erasedAfter.map { "in \(Measure.age($0))" } ?? "-"
    }

    private func state(_ user: KnownUser) -> String {
        let since = user.since.map { " \(Measure.age(max(0, now - $0))) ago" } ?? ""
        return switch user.state {
        case "present": "present"
        case "noAccount": "no account has this number"
        case "removed": "removed\(since)"
        case "returned": "created again\(since)"
        case "renamed": "is called \(user.otherName ?? "otherwise") now\(since)"
        case "replaced": "the number is \(user.otherName ?? "another account")'s now\(since)"
        case "erased": "removed, and erased\(since)"
        default: user.state
        }
    }

    /// The commands for an account that was removed or changed.
    static let advice =
        "`waymark users restore USER` if it is the same person, `waymark users erase USER` if not."

    /// A sentence for each user whose account was removed or changed, so that the stored data is not used: the first
    /// few, and the number of further users.
    static func warnings(_ users: [KnownUser]) -> [String] {
        let waiting = users.filter(needsDecision)
        let most = 3
        let warnings = waiting.prefix(most).map { user in
            let end = user.erasedAfter.map { "it will be erased in \(Measure.age($0))" } ?? "an operator has to decide"
            return "The stored data of \(title(user)) is not used, because \(change(user)): \(end)."
        }
        guard waiting.count > most else { return warnings }
        let more = waiting.count - most
        return warnings + ["The same applies to \(more) more user\(more == 1 ? "" : "s")."]
    }

    /// The change of the account, in words.
    private static func change(_ user: KnownUser) -> String {
        switch user.state {
        case "removed": "the account was removed"
        case "returned": "the account was created again"
        case "renamed": "the account is called \(user.otherName ?? "otherwise") now"
        case "replaced": "the number is \(user.otherName ?? "another account")'s now"
        default: "the account is another one"
        }
    }

    /// Whether the stored data is used.
    static func isUsed(_ user: KnownUser) -> Bool { user.state == "present" || user.state == "noAccount" }

    /// Whether a decision of an operator is pending.
    static func needsDecision(_ user: KnownUser) -> Bool { !isUsed(user) && user.state != "erased" }

    /// `one (uid 1000)`.
    static func title(_ user: KnownUser) -> String {
        user.name.map { "\($0) (uid \(user.uid))" } ?? "uid \(user.uid)"
    }
}
