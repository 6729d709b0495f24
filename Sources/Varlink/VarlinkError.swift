import JSONText
import Platform

/// Why a client's call failed.
public enum VarlinkError: Error, Equatable, CustomStringConvertible {
    /// Nobody answers on the socket.
    case cannotConnect(SystemError)
    /// The service says so: the error's full name and what belongs to it.
    case reply(name: String, parameters: JSON)
    /// The service does not speak Varlink.
    case protocolViolation(String)
    /// The service is older than the caller and would pass over a parameter in silence: which one, of which method. The
    /// call was not made.
    case unknownParameter(String, method: String)
    /// No reply came within the time given. The connection is closed: a late reply would be taken for the next one.
    case timedOut
    /// The connection has ended.
    case closed
    /// The system failed.
    case system(SystemError)

    /// What happened in words: for an error of the service its `message`, where it has one.
    public var description: String {
        switch self {
        case .cannotConnect(let error), .system(let error): error.description
        case .reply(let name, let parameters): parameters["message"]?.stringValue ?? name
        case .protocolViolation(let what): "the service does not speak Varlink: \(what)"
        case .unknownParameter(let parameter, let method): "the service does not know \(parameter) of \(method)"
        case .timedOut: "no reply in time"
        case .closed: "the service closed the connection"
        }
    }
}
