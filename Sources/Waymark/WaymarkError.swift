import Glibc
import Interfaces
import JSONText
import Platform
import Varlink

/// Why a call failed.
public enum WaymarkError: Error, Equatable, CustomStringConvertible {
    /// No daemon listens on the socket.
    case notRunning(path: String, SystemError)
    /// The caller is not permitted: the error's name, such as `denied`, `notInUse` or `manifestMissing`, and its
    /// sentence.
    case refused(ErrorName, message: String)
    /// The manifest lacks the key that the request needs; with a sentence.
    case purposeMissing(key: String, message: String)
    /// A prompt of the app is already shown.
    case requestInProgress(message: String)
    /// The decision or identifier could not be stored, so it has no effect.
    case notStored(message: String)
    /// There is no position. `reason` is `noReceiver`, `receiverLost`, `noFix`, `stale`, `inaccurate` or
    /// `reducedUnavailable`; with a sentence.
    case positionUnknown(reason: String, message: String)
    /// There was no position in time.
    case timedOut(message: String)
    /// Any other error of the daemon: its full name, sentence and parameters.
    case failed(name: String, message: String, parameters: JSON)
    /// The daemon closed the connection.
    case disconnected
    /// The daemon has another release and does not know the call, would ignore a part of it, or replies differently.
    /// The sentence names both releases, and which to update.
    case incompatible(message: String)
    /// The daemon's reply is invalid: the releases differ, or the peer is no daemon.
    case notUnderstood(String)

    /// A sentence for a person, with the next step if it is known.
    public var description: String {
        switch self {
        case .notRunning(let path, let error):
            switch error.code.isMissing {
            case true:
                "The Waymark daemon does not run: no program listens on \(path). Start it with"
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

    /// Converts an error of the protocol's client.
    public init(_ error: VarlinkError, socketPath: String) {
        switch error {
        case .cannotConnect(let error): self = .notRunning(path: socketPath, error)
        case .reply(let name, let parameters):
            let message = parameters["message"]?.stringValue ?? error.description
            switch ErrorName(rawValue: name) {
            case .positionUnknown:
                self = .positionUnknown(reason: parameters["reason"]?.stringValue ?? "", message: message)
            case .timeout: self = .timedOut(message: message)
            case .purposeMissing, .identityPurposeMissing:
                self = .purposeMissing(key: parameters["key"]?.stringValue ?? "", message: message)
            case .requestInProgress, .identityRequestInProgress: self = .requestInProgress(message: message)
            case .notStored, .identityNotStored: self = .notStored(message: message)
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
    /// Whether recorded positions or regions are sealed, and the data is locked: they are retained, and can be read when
    /// somebody has unlocked it.
    public var isProtectedDataUnavailable: Bool {
        guard case .failed(let name, _, _) = self else { return false }
        return [.regionsProtectedDataUnavailable, .recordingProtectedDataUnavailable].contains(
            ErrorName(rawValue: name))
    }

    /// Whether it only means that the daemon is unavailable or too busy, so that another attempt may succeed.
    var isAbsence: Bool {
        switch self {
        case .notRunning(_, let error): error.code != EACCES && error.code != EPERM
        case .disconnected, .timedOut: true
        default: false
        }
    }
}

extension Int32 {
    /// Whether this error number means that there is no socket, or no listener behind it.
    fileprivate var isMissing: Bool { self == ENOENT || self == ECONNREFUSED }
}
