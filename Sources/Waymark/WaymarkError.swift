import Glibc
import Interfaces
import JSONText
import Platform
import Varlink

/// Why the daemon did not do what was asked.
public enum WaymarkError: Error, Equatable, CustomStringConvertible {
    /// Nobody listens on the socket.
    case notRunning(path: String, SystemError)
    /// The caller may not have it: which error, as `denied`, `notInUse` or `manifestMissing`, and its sentence.
    case refused(ErrorName, message: String)
    /// The manifest lacks what the request needs under this key, and a sentence.
    case purposeMissing(key: String, message: String)
    /// The person is being asked already.
    case requestInProgress(message: String)
    /// What was decided could not be stored, so it does not hold.
    case notStored(message: String)
    /// There is no position: `noReceiver`, `receiverLost`, `noFix`, `stale`, `inaccurate` or
    /// `reducedUnavailable`, and a sentence.
    case positionUnknown(reason: String, message: String)
    /// No position came in time.
    case timedOut(message: String)
    /// Anything else that the daemon answered: the error's full name, its sentence and its parameters.
    case failed(name: String, message: String, parameters: JSON)
    /// The daemon ended the connection.
    case disconnected
    /// The daemon is of another release, and does not know what was asked, would pass over a part of it, or answers
    /// otherwise: a sentence that names both, and which to update.
    case incompatible(message: String)
    /// The daemon's answer cannot be understood: client and daemon are of different versions, or it is none.
    case notUnderstood(String)

    /// A sentence for a person, with what to do where that is known.
    public var description: String {
        switch self {
        case .notRunning(let path, let error):
            switch error.code.isMissing {
            case true:
                "The Waymark daemon does not run: nobody listens on \(path). Start it with"
                    + " `systemctl start waymark`, or name another socket with --socket or WAYMARK_SOCKET."
            case false: "The Waymark daemon cannot be reached: \(error.description)."
            }
        case .refused(_, let message), .purposeMissing(_, let message), .requestInProgress(let message),
            .notStored(let message), .positionUnknown(_, let message), .timedOut(let message),
            .failed(_, let message, _), .incompatible(let message):
            message
        case .disconnected: "The Waymark daemon ended the connection."
        case .notUnderstood(let what): "The Waymark daemon's answer cannot be understood: \(what)."
        }
    }

    /// The same error as the client of the protocol reports it.
    public init(_ error: VarlinkError, socketPath: String) {
        switch error {
        case .cannotConnect(let error): self = .notRunning(path: socketPath, error)
        case .reply(let name, let parameters):
            let message = parameters["message"]?.stringValue ?? error.description
            switch ErrorName(rawValue: name) {
            case .positionUnknown:
                self = .positionUnknown(reason: parameters["reason"]?.stringValue ?? "", message: message)
            case .timeout: self = .timedOut(message: message)
            case .purposeMissing:
                self = .purposeMissing(key: parameters["key"]?.stringValue ?? "", message: message)
            case .requestInProgress: self = .requestInProgress(message: message)
            case .notStored: self = .notStored(message: message)
            case .some(let known) where known.isRefusal: self = .refused(known, message: message)
            default: self = .failed(name: name, message: message, parameters: parameters)
            }
        case .protocolViolation(let what): self = .notUnderstood(what)
        case .unknownParameter(let parameter, let method):
            self = .incompatible(
                message: "The Waymark daemon is older than this program: it does not know \(parameter) of \(method).")
        case .timedOut: self = .timedOut(message: "The Waymark daemon did not answer in time.")
        case .closed: self = .disconnected
        case .system(let error): self = .notRunning(path: socketPath, error)
        }
    }
}

extension WaymarkError {
    /// Whether it says no more than that the daemon is away, or too busy: it may be there again.
    var isAbsence: Bool {
        switch self {
        case .notRunning(_, let error): error.code != EACCES && error.code != EPERM
        case .disconnected, .timedOut: true
        default: false
        }
    }
}

extension Int32 {
    /// Whether this error number says that there is no socket or nobody behind it.
    fileprivate var isMissing: Bool { self == ENOENT || self == ECONNREFUSED }
}
