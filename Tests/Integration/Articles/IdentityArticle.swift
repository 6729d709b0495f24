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
