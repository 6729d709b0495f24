import JSONText

extension [Record] {
    /// Records as JSON.
    public var json: [UInt8] { QueryPage(self).json }

    /// Reads records of a hub.
    public init(json: [UInt8]) throws(FormatError) { self = try QueryPage(json: json).records }
}

extension QueryPage {
    /// A last page of these records.
    init(_ records: [Record]) {
        self.init()
        self.records = records
    }

    /// The page as JSON.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.array("records") { writer in
                for record in records { record.write(to: &writer) }
            }
            writer.member("cursor", cursor.map { HexText.text($0) })
        }
        return writer.bytes
    }

    /// Reads a page of a hub.
    public init(json: [UInt8]) throws(FormatError) {
        let page = try Node(written: json)
        self.init(try page.member("records").map { (node) throws(FormatError) in try Record(node) })
        cursor = try page.optional("cursor").map { (node) throws(FormatError) in
            guard let bytes = HexText.bytes(of: try node.string()) else { throw node.error(.invalidName) }
            return bytes
        }
    }
}

extension RecordDraft {
    /// Reads the body of a request about one record, whose name stands in the address.
    public init(_ name: RecordName, json: [UInt8], limits: Limits = Limits()) throws(FormatError) {
        let node = try Node(request: json, most: ModifyRecords.textFactor * limits.requestBytes)
        if let other = try node.optional("name"), try other.string() != name.text { throw other.error(.invalidName) }
        try self.init(name, node)
    }
}
