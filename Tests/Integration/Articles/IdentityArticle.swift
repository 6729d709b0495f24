// The examples of Identity.md in the catalogue, as they are shown: `DocumentationTests` compares the lines.

import Waymark

/// Counts the installations of a vendor's apps on a server that knows nothing about the person.
func registerInstallation(_ client: WaymarkClient, register: (String) async throws -> Void) async throws {
    do {
        let found: VendorIdentifier = try await client.identifierForVendor()
        print("an app of \(found.vendor)")
        try await register("\(found.identifier)")
    } catch WaymarkError.notStored(let message) {
        print("without an identifier for now: \(message)")
    }
}

/// Shows advertisements that fit the person if that is allowed, and any others if not.
func chooseAdvertisements(_ client: WaymarkClient, show: (UniqueID?) async throws -> Void) async throws {
    var status = try await client.trackingAuthorizationStatus
    if status == .notDetermined { status = try await client.requestTrackingAuthorization() }
    switch status {
    case .authorized: try await show(client.advertisingIdentifier)
    case .notDetermined, .restricted, .denied: try await show(nil)
    }
}

/// A name for the owner of this machine that another app cannot recognize, for example as the author of a shared list.
func authorName(in container: Container) async throws -> String? {
    do { return try await container.accountIdentifier() } catch let error as RecordError
        where error.code == .notAuthenticated
    {
        return nil
    }
}
