import JSONText

extension ModifyRecords {
    /// Bytes of JSON that a request may have for each byte of its records: base64 needs 4 for 3, and escapes and numbers
    /// more.
    static let textFactor = 4

    /// The body of the request, JSON. The zone is not in it.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.array("save") { writer in
                for save in saves {
                    writer.object { writer in
                        writer.member("policy", save.policy.rawValue)
                        writer.key("record")
                        save.draft.write(to: &writer)
                    }
                }
            }
            writer.array("delete") { writer in
                for deletion in deletions {
                    writer.object { writer in
                        writer.member("name", deletion.name.text)
                        writer.member("changeTag", deletion.changeTag?.text)
                    }
                }
            }
        }
        return writer.bytes
    }

    /// Reads the body of a request about a zone. Members that are missing have their defaults.
    public init(_ zone: ZoneID, json: [UInt8], limits: Limits = Limits()) throws(FormatError) {
        let body = try Node(request: json, most: Self.textFactor * limits.requestBytes)
        let saves = try body.optional("save")?.elements() ?? []
        let deletions = try body.optional("delete")?.elements() ?? []
        guard saves.count + deletions.count <= limits.records else {
            throw FormatError("", .tooLarge(.records))
        }
        self.init(zone)
        for node in saves {
            let policy: SavePolicy? = try node.optional("policy").map { (node) throws(FormatError) in try node.word() }
            self.saves.append(Save(try RecordDraft(node.member("record")), policy ?? .ifServerRecordUnchanged))
        }
        for node in deletions {
            let tag = try node.optional("changeTag").map { (node) throws(FormatError) in try node.changeTag() }
            self.deletions.append(Deletion(try node.member("name").name(), changeTag: tag))
        }
    }

    /// Bytes that no other request has.
    var fingerprint: [UInt8] { "records ".utf8 + zone.context + json }
}
