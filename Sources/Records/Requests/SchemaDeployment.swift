import JSONText

/// The request to deploy the schema of development to production.
public struct SchemaDeployment: Equatable, Sendable {
    /// Whether other roles of types that production has are deployed too.
    public var changesRoles = false

    /// A deployment, perhaps of other roles too.
    public init(changesRoles: Bool) { self.changesRoles = changesRoles }

    /// The request.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { $0.member("changeRoles", changesRoles) }
        return writer.bytes
    }

    /// Reads a request: an object, whose member `changeRoles` is optional; without a body, roles stay as they are.
    public init(json: [UInt8]) throws(FormatError) {
        guard !json.isEmpty else { return }
        let node = try Node(request: json, most: 1_024)
        try node.permit(["changeRoles"])
        changesRoles = try node.optional("changeRoles")?.bool() ?? false
    }
}
