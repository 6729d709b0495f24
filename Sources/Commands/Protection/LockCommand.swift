import CommandLineKit
import Glibc
import Interfaces
import Varlink

/// `waymark lock` and `waymark unlock`: lock the recorded positions, and unlock them with a secret.
enum LockCommand {
    static let lock = Command(
        "lock", "lock recorded positions after ten seconds",
        discussion: [
            "Programs are notified at once, and have ten seconds to finish; then the keys are removed from the daemon's memory."
                + " Recording goes on, unless a manifest asks for the class complete. It needs a passphrase, which"
                + " `waymark protection set-passphrase` sets.",
            "Operators lock the data of the machine, and every user with a passphrase of its own that user's data.",
            "A screen is another matter: `waymark screen lock` reports one as locked.",
        ],
        options: [ProtectionCommand.user, CommonOptions.json],
        examples: [Command.Example("sudo waymark lock", "Before the machine is handed to somebody.")])

    static let unlock = Command(
        "unlock", "unlock recorded positions with a passphrase or a recovery key",
        discussion: [
            "The secret is typed on the terminal and not shown, or read with --stdin or --ask-password; never from an argument.",
            "After the sixth wrong secret in a row the next attempt has to wait, a minute at first, an hour at last.",
            "With --pam it unlocks the data of the user who logs in, with the password of the login, and does nothing for"
                + " a user without a passphrase of its own. For pam_exec: the page protection.md has the line.",
        ],
        options: ProtectionCommand.secrets + [SecretInput.pam],
        examples: [
            Command.Example("ssh tracker sudo waymark unlock --stdin <passphrase.txt", "From another machine.")
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        if session.invocation.has("pam") { return try unlockAtLogin(session) }
        let user = try AppOptions.user(session).map { Int64($0) }
        if session.invocation.path.last == "lock" {
            let reply = try session.daemon.call(ProtectionInterface.Lock(user: user))
            return try ProtectionCommand.show(reply, reply.status, session, ProtectionText.sentence(reply.status))
        }
        var input = SecretInput(session)
        let isRecovery = session.invocation.has("recovery") ? true : nil
        let reply = try session.daemon.call(
            ProtectionInterface.Unlock(secret: try input.present(), isRecovery: isRecovery, user: user),
            waiting: ProtectionCommand.patience)
        try ProtectionCommand.show(reply, reply.status, session, "The data is unlocked.")
    }

    /// Unlocks the data of the user whom pam_exec(8) names, with the password that it passes. Whoever has no passphrase of its own
    /// logs in as before.
    private static func unlockAtLogin(_ session: Session) throws(CommandFailure) {
        guard let name = getenv("PAM_USER").map({ String(cString: $0) }), !name.isEmpty else {
            throw .failed("NoUser", "--pam is for pam_exec(8), which names the user in PAM_USER: it is not set.")
        }
        // The machine's data is not unlocked with root's password.
        guard let uid = UserName.number(ofAccount: name), uid != 0 else { return }
        do throws(CommandFailure) {
            _ = try session.daemon.call(
                ProtectionInterface.Unlock(secret: try SecretInput.passed(), isRecovery: nil, user: Int64(uid)),
                waiting: ProtectionCommand.patience)
        } catch {
            if case .failed(ErrorName.protectionNoPassphrase.rawValue, _, _) = error { return }
            throw error
        }
    }
}
