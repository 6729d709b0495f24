import Interfaces
import Location

/// The identifier of an app's vendor on this machine.
public struct VendorIdentifier: Hashable, Sendable {
    /// A random UUID, which all apps of the vendor get for this user and machine.
    public var identifier: UniqueID
    /// The name of the vendor: of the manifest's `Vendor=`, or of the app itself.
    public var vendor: String
}

extension WaymarkClient {
    /// The identifier that all apps of this app's vendor get for this user and machine: `UIDevice.identifierForVendor`.
    ///
    ///     let found = try await client.identifierForVendor()
    ///     print("installation \(found.identifier) of \(found.vendor)")
    ///
    /// It remains the same until the last app of the vendor is removed or the identifiers are reset. Nothing can be computed
    /// from it: for other vendors, users and machines it is unrelated. No authorization is needed, and nobody is asked; operators
    /// can see that the app has queried it.
    ///
    /// - Throws: `WaymarkError.refused` with `identityNotAllowed` if the program is no app, or its user's data is suspended;
    ///   `.notStored` if the identifier could not be stored: repeat the call later.
    public func identifierForVendor() async throws -> VendorIdentifier {
        let reply = try await reply(to: IdentityInterface.GetIdentifierForVendor(), more: false)
        guard let identifier = UniqueID(reply.identifier) else {
            throw WaymarkError.notUnderstood("an identifier that is no UUID")
        }
        return VendorIdentifier(identifier: identifier, vendor: reply.vendor)
    }
}
