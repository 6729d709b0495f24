import JSONText

/// A page of the changes of a zone with its records as they are written: a hub passes on the texts that it has stored, and a copy
/// stores the texts that it gets.
public struct WrittenZoneChanges: Sendable {
    /// The records that were made or changed.
    public var changed: [WrittenRecord] = []
    /// The records that were deleted.
    public var deleted: [ZoneChanges.Deletion] = []
    /// The token that continues after this page.
    public var token: [UInt8] = []
    /// Whether there are further changes already.
    public var moreComing = false

    /// A page without changes.
    public init() {}

    /// A page of these changes.
    public init(_ page: ZoneChanges) {
        changed = page.changed.map { WrittenRecord($0) }
        (deleted, token, moreComing) = (page.deleted, page.token, page.moreComing)
    }

    /// The page with its records.
    public func page() throws(FormatError) -> ZoneChanges {
        var page = ZoneChanges()
        for record in changed { page.changed.append(try record.record()) }
        (page.deleted, page.token, page.moreComing) = (deleted, token, moreComing)
        return page
    }

    /// The page as JSON.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.reserveCapacity(changed.reduce(2 * token.count + 80 * (deleted.count + 1)) { $0 + $1.text.count + 1 })
        writer.object { writer in
            writer.array("changed") { writer in
                for record in changed { writer.raw(record.text) }
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

    /// Reads and checks a page of a hub.
    public init(json: [UInt8]) throws(FormatError) {
        if let page = Self(scanning: json) { self = page } else { try self.init(reading: json) }
    }

    /// Reads a page in any form.
    init(reading json: [UInt8]) throws(FormatError) {
        let node = try Node(written: json)
        changed = try node.member("changed").map { (node) throws(FormatError) in
            WrittenRecord(try Record(node), node.text)
        }
        deleted = try node.member("deleted").map { (node) throws(FormatError) in
            ZoneChanges.Deletion(try node.member("name").name(), try node.member("type").name())
        }
        token = try node.token()
        moreComing = try node.member("moreComing").bool()
    }

    /// The most records, and the most bytes of them, of a page that is scanned: more than any hub sends. What is larger is read, with
    /// a limit for the number of values.
    private static let most = (records: 4_096, bytes: 4 << 20)

    /// Checks a page in the form in which it is written above, without reading its records; nil if it has another form.
    init?(scanning json: [UInt8]) {
        let text = json.span
        var place = WrittenJSON()
        guard text.isUTF8, place.accept("{\"changed\":[", in: text), records(in: json, at: &place),
            place.accept(",\"deleted\":[", in: text), deletions(in: text, at: &place),
            place.accept(",\"token\":", in: text), let token = place.plainString(in: text),
            let bytes = HexText.bytes(of: text.text(of: token))
        else { return nil }
        self.token = bytes
        moreComing = place.accept(",\"moreComing\":true}", in: text)
        guard moreComing || place.accept(",\"moreComing\":false}", in: text), place.isAtEnd(of: text) else {
            return nil
        }
    }

    private mutating func records(in json: [UInt8], at place: inout WrittenJSON) -> Bool {
        let text = json.span
        if place.accept("]", in: text) { return true }
        var bytes = 0
        repeat {
            guard changed.count < Self.most.records, let scan = RecordScan(text, at: place.offset),
                let record = WrittenRecord(scan, json[place.offset..<scan.end])
            else { return false }
            changed.append(record)
            bytes += record.size
            guard bytes <= Self.most.bytes else { return false }
            place = WrittenJSON(at: scan.end)
        } while place.accept(",", in: text)
        return place.accept("]", in: text)
    }

    private mutating func deletions(in text: Span<UInt8>, at place: inout WrittenJSON) -> Bool {
        if place.accept("]", in: text) { return true }
        repeat {
            guard deleted.count < Self.most.records, place.accept("{\"name\":", in: text),
                let name = place.plainString(in: text), let name = RecordName(text.text(of: name)),
                place.accept(",\"type\":", in: text), let type = place.plainString(in: text),
                let type = RecordType(text.text(of: type)), place.accept("}", in: text)
            else { return false }
            deleted.append(ZoneChanges.Deletion(name, type))
        } while place.accept(",", in: text)
        return place.accept("]", in: text)
    }
}
