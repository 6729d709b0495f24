import Glibc
import Platform

/// The user that a test's daemon runs as, and the part of the machine that it sees. All but the default needs root.
public struct DaemonSurroundings: Sendable {
    /// The capabilities that a daemon needs to read other users' programs and homes itself: setpriv(1)'s names.
    public static let seeingCapabilities = ["sys_ptrace", "dac_read_search"]

    /// The program that is started; nil for the one that was built with the tests.
    public var program: String?
    /// Whether it can read logins.
    public var knowsLogins = true
    /// The user it runs as, without gaining privileges by executing programs; nil for the test's own.
    public var user: uid_t?
    /// The capabilities which that user's daemon has, ambient as a unit gives them, and no others.
    public var capabilities: [String] = []
    /// The prefix of its command: the `entrance` of its network.
    public var entrance: [String] = []
    /// Additional variables of its environment: `NAME=VALUE`.
    public var environment: [String] = []
    /// The file that it sees in place of /etc/passwd.
    public var userDatabase: String?

    /// The folder that it sees in place of /run/systemd, with the files that logind would write there.
    public var loginRecords: String?

    /// The test's own user and machine.
    public init() {}

    /// Whether a daemon with mounts of its own sees the programs of others at their paths. Below a root that is none of
    /// its mounts, chroot(2), it does not.
    public static let seesProgramsFromOwnMounts: Bool = {
        guard Capability.administer.isHeld else { return false }
        func program(_ command: [String]) -> String? {
            do throws(SystemError) {
                let run = try CompletedProcess.run(
                    command[0], Array(command[1...]) + ["readlink", "/proc/\(getpid())/exe"])
                return run.status.isSuccess ? run.output : nil
            } catch {
                return nil
            }
        }
        let own = program(["/usr/bin/env"])
        return own != nil && own == program(["/usr/bin/unshare", "--mount", "--propagation", "private"])
    }()

    /// The program to start with its first arguments.
    public func command() throws -> [String] {
        var command = entrance
        var script = ""
        // Hiding logind needs the right to mount; where there is no logind it need not be hidden.
        if let loginRecords {
            script += "mount --bind '\(loginRecords)' /run/systemd || exit; "
        } else if !knowsLogins, access("/run/systemd", F_OK) == 0, Capability.administer.isHeld {
            script += "mount -t tmpfs tmpfs /run/systemd || exit; "
        }
        if userDatabase != nil { script += #"mount --bind "$0" /etc/passwd || exit; "# }
        if !script.isEmpty {
            command += ["/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c"]
            command += [script + #"exec "$@""#, userDatabase ?? "sh"]
        }
        if let user {
            let added = capabilities.map { "+\($0)" }
            let retained = (["-all"] + added).joined(separator: ",")
            command += ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
            command += [
                "--inh-caps=\(retained)", "--ambient-caps=\(retained)", "--bounding-set=\(retained)", "--no-new-privs",
            ]
        }
        if !environment.isEmpty { command += ["/usr/bin/env"] + environment }
        return command + [try program ?? Products.program("waymarkd")]
    }
}
