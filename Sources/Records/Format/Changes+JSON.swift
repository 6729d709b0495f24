import JSONText

extension ZoneChanges {
    /// The page as JSON.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.array("changed") { writer in
                for record in changed { record.write(to: &writer) }
            }
            writer.array("deleted") { writer in
                for deletion in deleted {
                    writer.object { writer in
                        writer.member("name", deletion.name.text)
                        writer.member("type", deletion.type.text)
                    }
                }
            }
            writer.member("token", HexText.text(token))
            writer.member("moreComing", moreComing)
        }
        return writer.bytes
    }

    /// Reads a page of a hub.
    public init(json: [UInt8]) throws(FormatError) { self = try WrittenZoneChanges(json: json).page() }
}

/// A page of the changes of a zone as a hub has written it.
public struct WrittenZoneChanges {
    /// The token that continues after this page.
    public let token: [UInt8]
    /// Whether there are further changes already.
    public let moreComing: Bool
    private let node: Node

    /// Checks that a text is JSON, and reads where the next page begins, so that it can be requested before this one is read.
    public init(json: [UInt8]) throws(FormatError) {
        node = try Node(written: json)
        token = try node.token()
        moreComing = try node.member("moreComing").bool()
    }

    /// Reads the page.
    public func page() throws(FormatError) -> ZoneChanges {
        var page = ZoneChanges()
        page.changed = try node.member("changed").map { (node) throws(FormatError) in try Record(node) }
        page.deleted = try node.member("deleted").map { (node) throws(FormatError) in
            ZoneChanges.Deletion(try node.member("name").name(), try node.member("type").name())
        }
        (page.token, page.moreComing) = (token, moreComing)
        return page
    }

    /// The texts of the changed records. A copy stores them as they are, instead of writing the records again.
    public func texts() throws(FormatError) -> [ArraySlice<UInt8>] { try node.member("changed").elements().map(\.text) }
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
    fileprivate func token() throws(FormatError) -> [UInt8] {
        let node = try member("token")
        guard let bytes = HexText.bytes(of: try node.string()) else { throw node.error(.invalidName) }
        return bytes
    }
}
