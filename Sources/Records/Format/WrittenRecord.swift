import JSONText

/// A record as a hub has written it: checked, and read only where somebody needs more than its name.
///
/// Nearly all records have the form in which `Record` is written, and are checked without allocating anything. Others are read,
/// and so accepted or refused as `Record` does.
public struct WrittenRecord: Sendable {
    /// The name.
    public let name: RecordName
    /// The text, JSON.
    public let text: ArraySlice<UInt8>
    /// The size that limits count, in bytes.
    public let size: Int
    /// Whether a field has an asset.
    public let hasAssets: Bool
    /// The record, if it had to be read.
    let read: Record?

    /// Checks a text that is one record. A text in another form is written anew.
    public init(json: [UInt8]) throws(FormatError) {
        let text = json.span
        if text.isUTF8, let scan = RecordScan(text, at: 0), scan.end == json.count,
            let written = WrittenRecord(scan, json[...])
        {
            self = written
        } else {
            self.init(try Record(json: json))
        }
    }

    /// A record that was read from this text.
    init(_ record: Record, _ text: ArraySlice<UInt8>) {
        name = record.name
        self.text = text
        size = record.size
        hasAssets = !record.assets.isEmpty
        read = record
    }

    /// A record that is not written yet.
    public init(_ record: Record) { self.init(record, record.json[...]) }

    /// A record that was found in a text.
    init?(_ scan: RecordScan, _ text: ArraySlice<UInt8>) {
        guard let name = RecordName(String(decoding: text[scan.name], as: UTF8.self)) else { return nil }
        self.name = name
        self.text = text
        size = scan.size
        hasAssets = scan.hasAssets
        read = nil
    }

    /// The record.
    public func record() throws(FormatError) -> Record { if let read { read } else { try Record(json: Array(text)) } }
}
