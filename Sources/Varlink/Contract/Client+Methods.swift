import JSONText

extension CallRequest {
    /// A call of a method with these parameters.
    public init(_ method: some VarlinkMethod, more: Bool = false, oneway: Bool = false) {
        self.init(method: type(of: method).name, parameters: method.parameters, more: more, oneway: oneway)
    }
}

extension VarlinkMembers {
    /// The value as a JSON tree.
    public var parameters: JSON {
        var writer = JSONWriter()
        write(to: &writer)
        do throws(JSONError) { return try JSON.parse(writer.bytes, maximumDepth: 64, maximumValues: .max) } catch {
            preconditionFailure("the JSON writer wrote what is no JSON: \(error)")
        }
    }
}

extension VarlinkMethod {
    /// Decodes a reply to this method.
    /// - Throws: `.protocolViolation` if the reply does not match the interface.
    public static func reply(_ parameters: JSON) throws(VarlinkError) -> Reply {
        do throws(InvalidParameter) { return try Reply(varlink: parameters) } catch {
            throw .protocolViolation("a reply to \(name): \(error)")
        }
    }
}

extension Client {
    /// Calls a method and waits for its reply.
    @discardableResult
    public func call<Method: VarlinkMethod>(
        _ method: Method, timeout: Duration? = nil
    ) throws(VarlinkError) -> Method.Reply {
        try Method.reply(reply(to: CallRequest(method), timeout: timeout).parameters)
    }
}
