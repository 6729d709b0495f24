import JSONText
import Platform

/// Why a client's call failed.
public enum VarlinkError: Error, Equatable, CustomStringConvertible {
    /// No service accepts connections at the socket.
    case cannotConnect(SystemError)
    /// The service replied with an error: its full name and parameters.
    case reply(name: String, parameters: JSON)
    /// The service does not speak Varlink.
    case protocolViolation(String)
    /// The service is older than the caller and would ignore this parameter of this method. The call was not made.
    case unknownParameter(String, method: String)
    /// There was no reply within the timeout. The connection is closed, because a late reply would be mistaken for the
    /// next one.
    case timedOut
    /// The connection has ended.
    case closed
    /// A system call failed.
    case system(SystemError)

    /// A text for a person: for an error of the service its `message`, if it has one.
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
