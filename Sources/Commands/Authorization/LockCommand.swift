import CommandLineKit
import Glibc
import Interfaces
import Varlink

/// `waymark lock` and `waymark unlock`: report a user's screen as locked, where the system does not know.
enum LockCommand {
    static let lock = Command(
        "lock", "report the screen as locked: no app of the user is in use",
        discussion: [
            "For screen lockers that the system does not know: call this when they begin, and `waymark unlock` when"
                + " they end. Background activity sessions, such as the recording of a hike, continue.",
            "Without --user it applies to you; for others it needs an operator.",
        ],
        options: [Option("user", Value("USER", .named("users")), "whose screen, by name or number")],
        examples: [Command.Example("waymark lock; swaylock; waymark unlock", "Around a screen locker.")])

    static let unlock = Command(
        "unlock", "report the screen as unlocked again",
        discussion: ["Ends the effect of `waymark lock`. A login that is itself locked stays locked."],
        options: [Option("user", Value("USER", .named("users")), "whose screen, by name or number")])

    static func run(_ session: Session) throws(CommandFailure) {
        let isLocked = session.invocation.path.last == "lock"
        let user = try AppOptions.user(session) ?? getuid()
        if user == getuid() { try sayOwn(isLocked, session) } else { try say(isLocked, of: user, session) }
        let whose = user == getuid() ? "Your screen" : "The screen of \(UserName.text(Int64(user)))"
        try session.print(
            sentence: isLocked
                ? "\(whose) counts as locked: no app is in use." : "\(whose) no longer counts as locked by hand.")
    }

    private static func say(_ isLocked: Bool, of user: UInt32, _ session: Session) throws(CommandFailure) {
        _ = try ManageLink(session).call(ManageInterface.SetLocked(uid: user, locked: isLocked))
    }

    /// Reports as an agent; an operator whose command is no agent reports as an operator.
    private static func sayOwn(_ isLocked: Bool, _ session: Session) throws(CommandFailure) {
        do throws(CommandFailure) {
            _ = try session.daemon.call(AgentInterface.SetLocked(locked: isLocked))
        } catch {
            guard error.code == .notAuthorized else { throw error }
            do throws(CommandFailure) { try say(isLocked, of: getuid(), session) } catch _ { throw error }
        }
    }
}
