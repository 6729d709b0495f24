import JSONText

// Lists of accounts and zones, as objects with one member.

extension [Participant] {
    /// The accounts with which a zone is shared, as JSON.
    public var json: [UInt8] {
        JSONWriter.list("participants", self) { participant, writer in
            writer.member("account", participant.account.text)
            writer.member("permission", participant.permission.rawValue)
            writer.member("accepted", participant.hasAccepted)
            writer.member("record", participant.root?.text)
        }
    }

    /// Reads a list of a hub.
    public init(json: [UInt8]) throws(FormatError) {
        self = try Node(written: json).member("participants").map { (node) throws(FormatError) in
            Participant(
                try node.member("account").name(), try node.member("permission").word(),
                hasAccepted: try node.member("accepted").bool(),
                of: try node.optional("record").map { (node) throws(FormatError) in try node.name() })
        }
    }
}

extension [SharedZone] {
    /// The zones that are shared with an account, as JSON. The container is not in it.
    public var json: [UInt8] {
        JSONWriter.list("zones", self) { shared, writer in
            shared.zone.writeMembers(to: &writer)
            writer.member("permission", shared.permission.rawValue)
            writer.member("accepted", shared.hasAccepted)
            writer.member("record", shared.root?.text)
        }
    }

    /// Reads a list of a hub about a container.
    public init(_ container: Container, json: [UInt8]) throws(FormatError) {
        self = try Node(written: json).member("zones").map { (node) throws(FormatError) in
            SharedZone(
                try ZoneID(container, node), try node.member("permission").word(),
                hasAccepted: try node.member("accepted").bool(),
                of: try node.optional("record").map { (node) throws(FormatError) in try node.name() })
        }
    }
}

extension JSONWriter {
    /// An object with one member, which is a list of objects.
    static func list<Element>(
        _ name: String, _ elements: [Element], _ write: (Element, inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.array(name) { writer in
                for element in elements { writer.object { write(element, &$0) } }
            }
        }
        return writer.bytes
    }
}
