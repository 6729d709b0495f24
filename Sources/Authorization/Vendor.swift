/// The vendor of an app, whose apps share identifiers.
///
/// A vendor is vouched for by whoever installed the manifest: a name in a user's own manifest is another vendor than the same
/// name in a manifest of the system's. An app whose manifest names no vendor is a vendor by itself, and such a vendor never
/// equals a named one.
public struct Vendor: Hashable, Sendable {
    /// Who installed the manifest, and so vouches for the name.
    public enum Installer: String, Sendable {
        /// Root: the vendor is the same for all users.
        case system
        /// The user: the vendor is one of this user only.
        case user
    }

    /// What the name is.
    public enum Kind: String, Sendable {
        /// The value of the manifest's `Vendor=`.
        case named
        /// The name of an app without `Vendor=`; for an instance that of its template.
        case app
    }

    /// Who vouches for it.
    public let installer: Installer
    /// What its name is.
    public let kind: Kind
    /// Its name.
    public let name: String

    /// The vendor of this name.
    public init(_ installer: Installer, _ kind: Kind, _ name: String) {
        self.installer = installer
        self.kind = kind
        self.name = name
    }

    /// The vendor of the app with this name, whose manifest has this `Vendor=`.
    public init(_ installer: Installer, ofApp app: String, named name: String?) {
        self.installer = installer
        kind = name == nil ? .app : .named
        self.name = name ?? InstanceName(app)?.template ?? app
    }
}

extension ManifestCatalogue {
    /// The vendor of an app; nil if the app has no manifest.
    public func vendor(of app: AppID) -> Vendor? {
        guard let manifest = self[app] else { return nil }
        // A manifest with a name of the system's is always the system's, see `subscript`.
        return Vendor(isSystems(app.name) ? .system : .user, ofApp: app.name, named: manifest.vendor)
    }
}

/// The vendors with an installed app, of the system or of one user, as far as the files could be read.
public struct InstalledVendors: Equatable, Sendable {
    /// The vendors of all valid manifests.
    public var vendors: Set<Vendor>
    /// The ids of files that exist without a valid manifest, and are not empty: they may be of any vendor.
    public var unclear: Set<String>
    /// Whether the folders could be listed. A folder that is missing counts as one that could not, where a home may not be
    /// mounted.
    public var isComplete: Bool

    /// These vendors and files.
    public init(vendors: Set<Vendor>, unclear: Set<String>, isComplete: Bool) {
        self.vendors = vendors
        self.unclear = unclear
        self.isComplete = isComplete
    }

    /// Whether the last app of a vendor was removed. False while that is uncertain: a failure to read a file or folder removes
    /// no app, and neither does a mistake in the manifest of one of the apps by which the vendor is known.
    public func isRemoved(_ vendor: Vendor, knownBy apps: some Sequence<String>) -> Bool {
        guard isComplete, !vendors.contains(vendor) else { return false }
        if vendor.kind == .app, unclear.contains(vendor.name) { return false }
        return !apps.contains { app in
            unclear.contains(app) || InstanceName(app).map { unclear.contains($0.template) } == true
        }
    }
}
