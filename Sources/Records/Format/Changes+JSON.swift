import JSONText

extension ZoneChanges {
    /// The page as JSON.
    public var json: [UInt8] { WrittenZoneChanges(self).json }

    /// Reads a page of a hub.
    public init(json: [UInt8]) throws(FormatError) { self = try WrittenZoneChanges(json: json).page() }
}

extension DatabaseChanges {
    /// The page as JSON. The container is not in it.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.array("changed") { writer in
                for zone in changed { writer.object { zone.writeMembers(to: &$0) } }
            }
            writer.array("deleted") { writer in
                for deletion in deleted {
                    writer.object { writer in
                        deletion.zone.writeMembers(to: &writer)
                        writer.member("reason", deletion.reason.rawValue)
                    }
                }
            }
            writer.member("token", HexText.text(token))
            writer.member("moreComing", moreComing)
        }
        return writer.bytes
    }

    /// Reads a page of a hub about a database of a container.
    public init(_ container: Container, json: [UInt8]) throws(FormatError) {
        let page = try Node(written: json)
        changed = try page.member("changed").map { (node) throws(FormatError) in try ZoneID(container, node) }
        deleted = try page.member("deleted").map { (node) throws(FormatError) in
            Deletion(try ZoneID(container, node), try node.member("reason").word())
        }
        token = try page.token()
        moreComing = try page.member("moreComing").bool()
    }
}

extension ZoneID {
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("owner", owner?.text)
        writer.member("name", name.text)
    }

    init(_ container: Container, _ node: Node) throws(FormatError) {
        let name = try node.member("name")
        let isDefault = try name.string() == ZoneName.defaultZone.text
        self.init(
            container, owner: try node.optional("owner").map { (node) throws(FormatError) in try node.name() },
            isDefault ? .defaultZone : try name.name())
    }
}

extension Node {
    /// A change token.
    func token() throws(FormatError) -> [UInt8] {
        let node = try member("token")
        guard let bytes = HexText.bytes(of: try node.string()) else { throw node.error(.invalidName) }
        return bytes
    }
}
