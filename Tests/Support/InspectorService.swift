import Glibc
import Platform

/// A `waymark-inspector` for each connection to a socket, as `waymark-inspector.socket` has it: another user than root,
/// with the two capabilities of the unit. Only root can start it.
public final class InspectorService {
    /// The program that listens in systemd's place.
    private static let activator = ExecutableSearch.find("systemd-socket-activate", alsoIn: ["/usr/bin"])

    /// Whether there can be one.
    public static var isPossible: Bool { activator != nil && OtherUser.isPossible }

    /// The path of its socket.
    public let path: String
    private let process: ChildProcess

    /// Listens at this path, where everybody may connect. The program has to be one that every user may run.
    public init(_ program: String, at path: String, as user: uid_t = 4_712) throws {
        self.path = path
        guard let activator = Self.activator else { throw SystemError("find", code: ENOENT, subject: "activator") }
        let retained = "-all,+sys_ptrace,+dac_read_search"
        process = try ChildProcess(
            ChildProcess.Launch(
                activator,
                [
                    "--accept", "--seqpacket", "--inetd", "--listen=\(path)", "/usr/bin/setpriv", "--reuid=\(user)",
                    "--regid=\(user)", "--clear-groups", "--inh-caps=\(retained)", "--ambient-caps=\(retained)",
                    "--bounding-set=\(retained)", "--no-new-privs", program,
                ], isGuarded: true))
        guard eventually(within: 60, { chmod(path, 0o666) == 0 }) else {
            throw SystemError("listen", code: ETIMEDOUT, subject: path)
        }
    }

    /// The processes that it has started and that still run.
    public var instances: [pid_t] {
        let file = "/proc/\(process.processID)/task/\(process.processID)/children"
        do throws(SystemError) {
            let text = String(decoding: try BoundedFile.bytes(of: file, limit: 65_536), as: UTF8.self)
            return text.split(separator: " ").compactMap { pid_t($0) }
        } catch {
            return []
        }
    }
}
