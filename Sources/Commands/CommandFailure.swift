import CommandLineKit
import Glibc
import Interfaces
import JSONText
import Platform
import Varlink
import Waymark

/// The reason for the early end of a command.
enum CommandFailure: Error, Equatable {
    /// A failure: the error's name for programs, a sentence for people, and the exit code.
    case failed(name: String, message: String, ExitCode)
    /// An end without a message, because everything was printed already.
    case ended(ExitCode)

    /// The reader of the output has closed it: no message.
    static let unread = CommandFailure.ended(.success)

    /// Whether a signal ends the program.
    var isSignal: Bool {
        switch self {
        case .ended(.interrupted), .ended(.terminated): true
        default: false
        }
    }

    /// A failure that the command line itself found; the name is a word such as `FileExists`.
    static func failed(_ name: String, _ message: String, _ code: ExitCode = .failure) -> CommandFailure {
        .failed(name: "io.waymark.CommandLine.\(name)", message: message, code)
    }

    /// A valid command line whose options contradict each other.
    static func usage(_ message: String, command: String) -> CommandFailure {
        .failed("Usage", UsageError(message, command: "waymark \(command)").description, .usage)
    }

    /// A failed write.
    init(_ error: OutputError) {
        switch error {
        case .closed: self = .unread
        case .failed(let error): self = .failed("OutputFailed", "The output could not be written: \(error).")
        }
    }

    /// A failed system call.
    init(_ error: SystemError) {
        self = .failed("SystemFailed", "Could not \(error).")
    }

    /// A failed call of the daemon.
    init(_ error: VarlinkError, socketPath: String) {
        self.init(WaymarkClient(socketPath: socketPath).explained(error), cause: error)
    }

    private init(_ error: WaymarkError, cause: VarlinkError) {
        let name = if case .reply(let name, _) = cause { name } else { "" }
        switch error {
        case .notRunning(_, let system) where system.code == EACCES || system.code == EPERM:
            self = .failed("NotPermitted", error.description, .notAuthorized)
        case .notRunning: self = .failed("NotRunning", error.description, .notRunning)
        case .refused(let refusal, let message):
            let advice = refusal.isForOperators ? OperatorAdvice.ofThisProcess : nil
            self = .failed(
                name: name, message: advice?.explained(refusal, message) ?? message, .notAuthorized)
        case .positionUnknown: self = .failed(name: name, message: error.description, .noPosition)
        case .timedOut:
            let code: ExitCode = name == ErrorName.timeout.rawValue ? .noPosition : .failure
            self =
                name.isEmpty
                ? .failed("TimedOut", error.description, code) : .failed(name: name, message: error.description, code)
        case .purposeMissing(_, let message), .requestInProgress(let message), .notStored(let message),
            .failed(_, let message, _):
            self = .failed(name: name, message: Self.sentence(name, message), .failure)
        case .disconnected: self = .failed("Disconnected", error.description, .notRunning)
        case .incompatible(let message): self = .failed("Incompatible", message)
        case .notUnderstood: self = .failed("NotUnderstood", error.description, .failure)
        }
    }

    /// The standard errors of Varlink have no message of their own.
    private static func sentence(_ name: String, _ message: String) -> String {
        guard name == message else { return message }
        switch name {
        case "org.varlink.service.MethodNotFound", "org.varlink.service.InterfaceNotFound",
            "org.varlink.service.MethodNotImplemented":
            return "The daemon does not support this: it is older than this command, or another program."
        default: return "The daemon replied \(name)."
        }
    }

    /// The same failure, with advice on becoming an operator if it is this error of the daemon.
    func advising(_ advice: OperatorAdvice, where refusal: ErrorName) -> CommandFailure {
        guard case .failed(refusal.rawValue, let message, let code) = self, let sentence = advice.sentence else {
            return self
        }
        return .failed(name: refusal.rawValue, message: "\(message) \(sentence)", code)
    }

    /// The error's object for `--json`; nil without a message.
    var json: [UInt8]? {
        guard case .failed(let name, let message, _) = self else { return nil }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("error", name)
            writer.member("message", message)
        }
        return writer.bytes
    }

    /// The exit code of the program.
    var code: ExitCode {
        switch self {
        case .failed(_, _, let code), .ended(let code): code
        }
    }
}

extension ErrorName {
    /// Whether an operator's call would not be refused with this error.
    fileprivate var isForOperators: Bool {
        switch self {
        case .manageNotOperator, .journalNotOperator, .recordingNotOperator, .uploadsNotOperator, .manifestMissing,
            .regionsNotAllowed, .regionsNotOperator, .protectionNotOperator:
            true
        default: false
        }
    }
}
