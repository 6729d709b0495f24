import Authorization

/// What an identifier stands for: a vendor and a user.
public struct IdentifierKey: Hashable, Sendable {
    /// The user; 0 for services of the system.
    public let uid: UInt32
    /// The vendor, all of whose apps get the identifier.
    public let vendor: Vendor

    /// The identifier of this vendor for this user.
    public init(uid: UInt32, vendor: Vendor) {
        self.uid = uid
        self.vendor = vendor
    }

    private static let prefix = "identifier"

    /// The name of the stored text. No name of an app or vendor contains a space.
    public var savedName: String {
        [Self.prefix, String(uid), vendor.installer.rawValue, vendor.kind.rawValue, vendor.name].joined(separator: " ")
    }

    /// Whether a stored text has the name of an identifier, whether or not this release understands it.
    public static func isSavedName(_ name: String) -> Bool { name.hasPrefix(prefix + " ") }

    /// The key of a stored text; nil for another text.
    public init?(savedName: String) {
        let parts = savedName.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0] == Self.prefix, let uid = UInt32(parts[1]), String(uid) == parts[1],
            let installer = Vendor.Installer(rawValue: parts[2]), let kind = Vendor.Kind(rawValue: parts[3]),
            !parts[4].isEmpty
        else { return nil }
        self.init(uid: uid, vendor: Vendor(installer, kind, parts[4]))
    }
}
