import JSONText

/// A reply as a client receives it.
public struct Reply: Equatable, Sendable {
    /// The message without its NUL, exactly as received.
    public let message: [UInt8]
    /// Its parameters, always an object.
    public let parameters: JSON
    /// Whether more replies to the same call follow.
    public let continues: Bool
    /// The full name of the error it reports, nil where it reports none.
    public let error: String?

    /// Reads a message without its NUL.
    public init(parsing message: [UInt8]) throws(MalformedMessage) {
        let json: JSON
        do throws(JSONError) {
            // The peer is the service that was chosen: its replies may be as large as the framing allows.
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

    /// The bytes of one parameter exactly as received, by the names that lead to it; those of all parameters without
    /// any name. Nil where there is none.
    public func rawParameter(_ path: String...) -> [UInt8]? {
        JSON.rawValue(in: message, at: ["parameters"] + path).map(Array.init)
    }
}
