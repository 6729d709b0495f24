import Authorization

/// What an identifier stands for: a user, and a vendor or advertising.
public struct IdentifierKey: Hashable, Sendable {
    /// The kinds of identifiers.
    public enum Kind: String, CaseIterable, Sendable {
        /// The identifier that all apps of a vendor share.
        case identifierForVendor
        /// The identifier that all apps share that may track the user.
        case advertisingIdentifier
    }

    /// The user; 0 for services of the system.
    public let uid: UInt32
    /// The vendor, all of whose apps get the identifier; nil for the advertising identifier, which belongs to no vendor.
    public let vendor: Vendor?

    /// The identifier of this vendor for this user.
    public init(uid: UInt32, vendor: Vendor) {
        self.uid = uid
        self.vendor = vendor
    }

    /// The advertising identifier of this user.
    public init(advertisingFor uid: UInt32) {
        self.uid = uid
        vendor = nil
    }

    /// What kind of identifier it is.
    public var kind: Kind { vendor == nil ? .advertisingIdentifier : .identifierForVendor }

    private static let prefix = "identifier"
    private static let advertising = "advertising"

    /// The name of the stored text. No name of an app or vendor contains a space.
    public var savedName: String {
        let subject = vendor.map { [$0.installer.rawValue, $0.kind.rawValue, $0.name] } ?? [Self.advertising]
        return ([Self.prefix, String(uid)] + subject).joined(separator: " ")
    }

    /// Whether a stored text has the name of an identifier, whether or not this release understands it.
    public static func isSavedName(_ name: String) -> Bool { name.hasPrefix(prefix + " ") }

    /// The key of a stored text; nil for another text.
    public init?(savedName: String) {
        let parts = savedName.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 2, parts[0] == Self.prefix, let uid = UInt32(parts[1]), String(uid) == parts[1] else {
            return nil
        }
        if parts[2...] == [Self.advertising] {
            self.init(advertisingFor: uid)
            return
        }
        guard parts.count == 5, let installer = Vendor.Installer(rawValue: parts[2]),
            let kind = Vendor.Kind(rawValue: parts[3]), !parts[4].isEmpty
        else { return nil }
        self.init(uid: uid, vendor: Vendor(installer, kind, parts[4]))
    }
}
