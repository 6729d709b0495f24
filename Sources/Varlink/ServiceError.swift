import JSONText

/// The errors that every Varlink service can report, those of `org.varlink.service`.
public enum ServiceError: Error, Equatable, Sendable {
    /// The service has no such interface.
    case interfaceNotFound(String)
    /// The interface has no such method.
    case methodNotFound(String)
    /// The interface has the method, but this service does not implement it.
    case methodNotImplemented(String)
    /// A parameter is missing or invalid.
    case invalidParameter(String)
    /// The peer may not call the method.
    case permissionDenied
    /// The method replies more than once and was called without `more`.
    case expectedMore

    /// The error's full name.
    public var name: String {
        switch self {
        case .interfaceNotFound: "org.varlink.service.InterfaceNotFound"
        case .methodNotFound: "org.varlink.service.MethodNotFound"
        case .methodNotImplemented: "org.varlink.service.MethodNotImplemented"
        case .invalidParameter: "org.varlink.service.InvalidParameter"
        case .permissionDenied: "org.varlink.service.PermissionDenied"
        case .expectedMore: "org.varlink.service.ExpectedMore"
        }
    }

    /// The parameters: the field that the interface defines, and a sentence for a person.
    public var parameters: JSON {
        switch self {
        case .interfaceNotFound(let name):
            [
                "interface": .string(name),
                "message": "This service has no such interface; ask GetInfo for those it has.",
            ]
        case .methodNotFound(let name):
            ["method": .string(name), "message": "The interface has no such method; ask GetInterfaceDescription."]
        case .methodNotImplemented(let name):
            ["method": .string(name), "message": "This service does not implement the method."]
        case .invalidParameter(let name):
            ["parameter": .string(name), "message": "The parameter is missing or does not hold what it should."]
        case .permissionDenied:
            ["message": "The method is not for this caller."]
        case .expectedMore:
            ["message": "The method replies more than once: call it with \"more\": true."]
        }
    }

    /// The error as a reply.
    public var reply: EncodedReply { EncodedReply(error: name, parameters: parameters) }
}
