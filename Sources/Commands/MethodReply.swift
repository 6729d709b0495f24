import JSONText
import Varlink

/// A decoded reply of a method with its bytes: `--json` prints the daemon's bytes, with the members of a newer daemon.
@dynamicMemberLookup
struct MethodReply<Method: VarlinkMethod> {
    /// The decoded reply.
    let value: Method.Reply
    /// The message received.
    let message: Reply

    /// Reads a reply.
    /// - Throws: `.protocolViolation` where it does not match the interface.
    init(_ message: Reply) throws(VarlinkError) {
        value = try Method.reply(message.parameters)
        self.message = message
    }

    /// A member of the reply.
    subscript<Value>(dynamicMember member: KeyPath<Method.Reply, Value>) -> Value { value[keyPath: member] }

    /// The bytes of all parameters.
    var bytes: [UInt8] { message.parameters.bytes }

    /// The bytes of a member.
    func bytes(of name: String) throws(CommandFailure) -> [UInt8] {
        guard let bytes = message.rawParameter(name) else {
            throw CommandFailure.notUnderstood("a reply without \(name)")
        }
        return bytes
    }
}

extension Reply {
    /// Reads a reply of a stream.
    func read<Method: VarlinkMethod>(as _: Method.Type) throws(CommandFailure) -> MethodReply<Method> {
        do throws(VarlinkError) { return try MethodReply(self) } catch {
            throw CommandFailure.notUnderstood("\(error)")
        }
    }

    /// The elements of a list that this version understands, and the objects of all elements.
    func list<Element: VarlinkReadable>(
        _ name: String, of _: Element.Type = Element.self
    ) throws(CommandFailure) -> (elements: [Element], objects: [JSON]) {
        guard let objects = parameters[name]?.arrayValue else {
            throw CommandFailure.notUnderstood("a reply without \(name)")
        }
        return (objects.compactMap(Element.init(understanding:)), objects)
    }
}

extension VarlinkReadable {
    /// Reads a value; nil where it does not match the interface of this version.
    init?(understanding json: JSON) {
        do throws(InvalidParameter) { try self.init(varlink: json) } catch { return nil }
    }
}

extension CommandFailure {
    /// The daemon sent an invalid reply.
    static func notUnderstood(_ what: String) -> CommandFailure {
        .failed("NotUnderstood", "The Waymark daemon's reply is invalid: \(what).")
    }
}
