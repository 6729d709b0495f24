import CommandLineKit
import Glibc
import JSONText
import SyncInterface
import Varlink

/// Calls of `waymark-sync`, with errors in terms of the command line.
struct SyncLink {
    /// The option for its socket.
    static let socket = Option(
        "sync-socket", Value("PATH", .file),
        "where waymark-sync listens (default WAYMARK_SYNC_SOCKET, then /run/waymark-sync/sync.sock for root,"
            + " waymark/sync.sock below XDG_RUNTIME_DIR for others)")

    private let path: String

    init(_ session: Session) { path = session.invocation.text("sync-socket") ?? SyncInterface.defaultSocket }

    /// Makes a call and waits for the reply, at most this many seconds.
    func call<Method: VarlinkMethod>(
        _ method: Method, seconds: Double = 30
    ) throws(CommandFailure) -> MethodReply<Method> where Method.Failure == SyncInterface.Failure {
        do throws(VarlinkError) {
            let client = try Client(path: path, timeout: .seconds(seconds))
            return try MethodReply(client.reply(to: CallRequest(method), timeout: .seconds(seconds)))
        } catch { throw failure(error) }
    }

    /// The command that starts it for this user.
    private static var start: String {
        geteuid() == 0 ? "systemctl start waymark-sync.socket" : "systemctl --user start waymark-sync.socket"
    }

    private func failure(_ error: VarlinkError) -> CommandFailure {
        if error.isNobodyThere {
            return .failed(
                name: "io.waymark.CommandLine.NotRunning",
                message:
                    "waymark-sync does not listen at \(path). Start it with `\(Self.start)`, or name its socket with"
                    + " --sync-socket.",
                .notRunning)
        }
        guard case .reply(let name, let details) = error,
            let known = SyncInterface.Failure(name: name, parameters: details)
        else { return .failed("SyncFailed", "waymark-sync did not reply as expected: \(error).") }
        let code: ExitCode = if case .notAllowed = known { .notAuthorized } else { .failure }
        return .failed(name: name, message: known.sentence, code)
    }
}

extension SyncInterface.Failure {
    /// The sentence for a person.
    var sentence: String {
        switch self {
        case .notAllowed(let message), .invalidArgument(_, let message), .noAccount(let message),
            .alreadyJoined(let message), .zoneNotFound(let message), .limitExceeded(_, _, let message),
            .recordsChanged(let message), .refused(let message), .networkUnavailable(let message),
            .unsentChanges(_, let message), .protectedDataUnavailable(let message), .notStored(let message),
            .encryptedDataUnavailable(let message), .assetNotFound(let message):
            message
        }
    }
}
