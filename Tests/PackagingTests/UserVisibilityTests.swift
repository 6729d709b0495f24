import Platform
import TestSupport
import Testing

/// Programs that count connections by their users see the users only in the user namespace of the machine: in one of its own each
/// other user has the id 65534.
@Suite struct UserVisibilityTests {
    @Test(arguments: ["waymark", "waymark-sync"]) func `a unit that counts by users has no user namespace`(
        unit: String
    ) throws {
        let bytes = try BoundedFile.bytes(of: Products.file("systemd/\(unit).service"), limit: 1 << 16)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.contains("[Service]") && !lines.contains { $0.hasPrefix("PrivateUsers=") })
    }
}
