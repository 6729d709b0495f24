import JSONText

/// The parameters of a method, which is named by their type.
///
/// `Documentation/protocol.md` describes how such types are made from the texts of the interfaces.
public protocol VarlinkMethod: VarlinkValue, VarlinkMembers, Equatable {
    /// What is replied.
    associatedtype Reply: VarlinkReadable & Equatable
    /// The errors of the method's interface.
    associatedtype Failure: VarlinkFailure
    /// The full name: interface, dot, method.
    static var name: String { get }
    /// Whether it replies more than once, and is to be called with `more`.
    static var needsMore: Bool { get }
}

/// The errors of an interface.
public protocol VarlinkFailure: Error, Equatable {
    /// The error of this full name; nil where the interface has none such, or a parameter of it is missing.
    init?(name: String, parameters: JSON)
    /// The full name: interface, dot, error.
    var name: String { get }
    /// The sentence for a person.
    var message: String { get }
    /// Whether it says that the caller is not allowed, as against that something does not work.
    var isRefusal: Bool { get }
    /// Writes the parameters in the order of the interface's text.
    func writeMembers(to writer: inout JSONWriter)
}

/// An interface whose types are made from its text.
public protocol VarlinkInterface {
    /// The errors.
    associatedtype Failure: VarlinkFailure
    /// The name, in reverse-domain notation.
    static var name: String { get }
    /// The methods, by their names within the interface, that are to be called with `more`.
    static var requiringMore: Set<String> { get }
    /// How calls in progress of methods, by their names within the interface, are made again after a restart. Those of other
    /// methods are not.
    static var repetitions: [String: CallRepetition] { get }
    /// Who may call the methods, but for those of `operatorMethods`.
    static var callers: VarlinkCallers { get }
    /// The methods, by their names within the interface, that only operators may call.
    static var operatorMethods: Set<String> { get }
}

/// Who may call the methods of an interface.
public enum VarlinkCallers: Sendable {
    /// Whoever can connect; a call is answered before it is known which app it is from.
    case anyone
    /// Whoever can connect, once it is known which app the call is from: the method decides.
    case identified
    /// Operators of the service.
    case operators
}

/// The reply of a method that answers only that it is done.
public struct EmptyReply: VarlinkValue, VarlinkMembers, Equatable {
    /// It has no members.
    public init() {}

    /// Reads the members, of which there are none.
    public init(varlink _: JSON) throws(InvalidParameter) {}

    /// Writes the members.
    public func writeMembers(to _: inout JSONWriter) {}
}
