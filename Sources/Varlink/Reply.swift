import JSONText

/// A reply as a client receives it.
public struct Reply: Equatable, Sendable {
    /// The message without its NUL, exactly as received.
    public let message: [UInt8]
    /// Its parameters, always an object.
    public let parameters: JSON
    /// Whether more replies to the same call follow.
    public let continues: Bool
    /// The full name of the error that it reports; nil if it is no error.
    public let error: String?

    /// Reads a message without its NUL.
    public init(parsing message: [UInt8]) throws(MalformedMessage) {
        let json: JSON
        do throws(JSONError) {
            // The client has chosen this peer, so its replies may be as large as the framing permits.
            json = try JSON.parse(message, maximumDepth: 64, maximumValues: .max)
        } catch {
            throw MalformedMessage(error.description)
        }
        guard case .object = json else { throw MalformedMessage("a reply that is no object") }
        switch json["parameters"] {
        case nil, .null: parameters = .emptyObject
        case .object(let members): parameters = .object(members)
        default: throw MalformedMessage("parameters that are no object")
        }
        switch json["error"] {
        case nil, .null: error = nil
        case .string(let name): error = name
        default: throw MalformedMessage("an error that is no name")
        }
        switch json["continues"] {
        case nil, .null: continues = false
        case .bool(let value): continues = value
        default: throw MalformedMessage("a flag that is no bool")
        }
        self.message = message
    }

    /// The received bytes of one parameter, by the path of its names; those of all parameters for an empty path. Nil if
    /// there is no such parameter.
    public func rawParameter(_ path: String...) -> [UInt8]? {
        JSON.rawValue(in: message, at: ["parameters"] + path).map(Array.init)
    }
}
