import JSONText

/// The parameters of a method, whose type identifies the method.
///
/// `Documentation/interfaces.md` describes how such types are generated from the texts of the interfaces.
public protocol VarlinkMethod: VarlinkValue, VarlinkMembers, Equatable {
    /// The reply.
    associatedtype Reply: VarlinkReadable & Equatable
    /// The errors of the method's interface.
    associatedtype Failure: VarlinkFailure
    /// The full name: interface, dot, method.
    static var name: String { get }
    /// Whether it replies more than once, so that it has to be called with `more`.
    static var needsMore: Bool { get }
}

/// The errors of an interface.
public protocol VarlinkFailure: Error, Equatable {
    /// The error with this full name; nil if the interface has no such error, or a parameter of it is missing.
    init?(name: String, parameters: JSON)
    /// The full name: interface, dot, error.
    var name: String { get }
    /// A sentence for a person.
    var message: String { get }
    /// Whether the error means that the caller is not permitted, in contrast to a failure.
    var isRefusal: Bool { get }
    /// Writes the parameters in the order of the interface's text.
    func writeMembers(to writer: inout JSONWriter)
}

/// An interface whose Swift types are generated from its text.
public protocol VarlinkInterface {
    /// The errors.
    associatedtype Failure: VarlinkFailure
    /// The name, in reverse-domain notation.
    static var name: String { get }
    /// The names of the methods that have to be called with `more`.
    static var requiringMore: Set<String> { get }
    /// How calls in progress are repeated after a restart, by the name of the method. Those of other methods are not
    /// repeated.
    static var repetitions: [String: CallRepetition] { get }
    /// Who may call the methods, except those in `operatorMethods` and `userMethods`.
    static var callers: VarlinkCallers { get }
    /// The names of the methods that only operators may call.
    static var operatorMethods: Set<String> { get }
    /// The names of the methods that operators and programs with the rights of their user may call, and no app.
    static var userMethods: Set<String> { get }
    /// The names of the methods that write to the disk before they reply.
    static var durableMethods: Set<String> { get }
}

extension VarlinkInterface {
    /// None.
    public static var userMethods: Set<String> { [] }
}

/// Who may call the methods of an interface.
public enum VarlinkCallers: Sendable {
    /// Every client. A call is answered before the client's app is identified.
    case anyone
    /// Every client, after its app was identified; the method decides.
    case identified
    /// Operators of the service.
    case operators
}

/// The reply of a method that only confirms its completion.
public struct EmptyReply: VarlinkValue, VarlinkMembers, Equatable {
    /// It has no members.
    public init() {}

    /// Decodes no members.
    public init(varlink _: JSON) throws(InvalidParameter) {}

    /// Encodes no members.
    public func writeMembers(to _: inout JSONWriter) {}
}
