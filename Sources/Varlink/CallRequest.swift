import JSONText

/// A message that is not JSON, or not a Varlink message.
public struct MalformedMessage: Error, Equatable, CustomStringConvertible {
    /// What is wrong, without any content of the message.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A request for a call of a method.
public struct CallRequest: Equatable, Sendable {
    /// The method's full name: interface, dot, method.
    public let method: String
    /// Its parameters, always an object.
    public let parameters: JSON
    /// Whether the client accepts more than one reply.
    public let more: Bool
    /// Whether the client wants no reply, not even an error.
    public let oneway: Bool
    /// Whether the client wants to continue the connection with another protocol.
    public let upgrade: Bool

    /// A call of a method.
    public init(
        method: String, parameters: JSON = .emptyObject, more: Bool = false, oneway: Bool = false, upgrade: Bool = false
    ) {
        self.method = method
        self.parameters = parameters
        self.more = more
        self.oneway = oneway
        self.upgrade = upgrade
    }

    /// Reads a message without its NUL.
    public init(parsing message: [UInt8], maximumDepth: Int = 16) throws(MalformedMessage) {
        let json: JSON
        do throws(JSONError) {
            json = try JSON.parse(message, maximumDepth: maximumDepth)
        } catch {
            throw MalformedMessage(error.description)
        }
        guard case .object = json else { throw MalformedMessage("a call that is no object") }
        guard let method = json["method"]?.stringValue, !method.isEmpty else {
            throw MalformedMessage("a call without a method")
        }
        self.method = method
        switch json["parameters"] {
        case nil, .null: parameters = .emptyObject
        case .object(let members): parameters = .object(members)
        default: throw MalformedMessage("parameters that are no object")
        }
        more = try Self.flag("more", json)
        oneway = try Self.flag("oneway", json)
        upgrade = try Self.flag("upgrade", json)
        if oneway && (more || upgrade) { throw MalformedMessage("a call that wants both no reply and replies") }
    }

    private static func flag(_ name: String, _ json: JSON) throws(MalformedMessage) -> Bool {
        switch json[name] {
        case nil, .null: return false
        case .bool(let value): return value
        default: throw MalformedMessage("a flag that is no bool")
        }
    }

    /// The name of the interface: the part before the last dot.
    public var interfaceName: String {
        method.lastIndex(of: ".").map { String(method[..<$0]) } ?? ""
    }

    /// The method's name within its interface.
    public var methodName: String {
        method.lastIndex(of: ".").map { String(method[method.index(after: $0)...]) } ?? method
    }

    /// About how many bytes of memory it needs: those of its texts, and many for each value, however short its text is.
    var memoryBytes: Int { method.utf8.count + parameters.memoryBytes }

    /// The message with its NUL.
    public var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("method", method)
            writer.member("parameters", parameters)
            if more { writer.member("more", true) }
            if oneway { writer.member("oneway", true) }
            if upgrade { writer.member("upgrade", true) }
        }
        return writer.bytes + [0]
    }
}

extension JSON {
    /// About what a value costs, apart from its text, see `JSON.parse`.
    private static let bytesOfValue = 100

    fileprivate var memoryBytes: Int {
        switch self {
        case .null, .bool, .integer, .number: Self.bytesOfValue
        case .string(let text): Self.bytesOfValue + text.utf8.count
        case .array(let values): values.reduce(Self.bytesOfValue) { $0 + $1.memoryBytes }
        case .object(let members):
            members.reduce(Self.bytesOfValue) { $0 + $1.key.utf8.count + $1.value.memoryBytes }
        }
    }
}
