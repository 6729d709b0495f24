import JSONText

/// Up to where an app has read the changes of the copy: what `CKServerChangeToken` is in CloudKit. A token continues in the
/// copy in which it was made; after the account was left and joined again it has expired.
public struct ChangeToken: Equatable, Sendable {
    let copy: String
    let revision: Int64

    init(copy: String, revision: Int64) {
        self.copy = copy
        self.revision = revision
    }

    /// The token of these bytes; nil if they are no token.
    public init?(encoded bytes: [UInt8]) {
        guard let json = try? JSON.parse(bytes), let copy = json["copy"]?.stringValue,
            let revision = json["revision"]?.integerValue
        else { return nil }
        self.init(copy: copy, revision: revision)
    }

    /// The token as bytes, for the app's own storage.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("copy", copy)
            writer.member("revision", revision)
        }
        return writer.bytes
    }
}
