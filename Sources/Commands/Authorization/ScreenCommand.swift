import CommandLineKit
import Glibc
import Interfaces
import Varlink

/// `waymark screen`: report a user's screen as locked or unlocked, where the system does not know.
enum ScreenCommand {
    private static let user = Option("user", Value("USER", .named("users")), "whose screen, by name or number")

    static let command = Command(
        "screen", "report a screen as locked: no app of its user is in use",
        discussion: [
            "For screen lockers that the system does not know: call `waymark screen lock` when they begin, and"
                + " `waymark screen unlock` when they end. Background activity sessions, such as the recording of a hike,"
                + " continue.",
            "Recorded positions are locked with the screen if the configuration has LockWithScreen=yes, and otherwise with"
                + " `waymark lock`.",
            "Without --user it applies to you; for others it needs an operator.",
        ],
        examples: [
            Command.Example("waymark screen lock; swaylock; waymark screen unlock", "Around a screen locker.")
        ],
        subcommands: [
            Command("lock", "report the screen as locked", options: [user]),
            Command(
                "unlock", "report the screen as unlocked again",
                discussion: [
                    "Ends the effect of `waymark screen lock`. A login that is itself locked stays locked, and so do recorded"
                        + " positions, which `waymark unlock` unlocks."
                ],
                options: [user]),
        ])

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
