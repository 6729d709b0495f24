import Platform
import TestSupport
import Testing

/// The daemon counts connections by their users, which it sees only in the user namespace of the machine: in one of its own each
/// other user has the id 65534.
@Suite struct UserVisibilityTests {
    @Test func `the unit of the daemon has no user namespace`() throws {
        let bytes = try BoundedFile.bytes(of: Products.file("systemd/waymark.service"), limit: 1 << 16)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.contains("[Service]") && !lines.contains { $0.hasPrefix("PrivateUsers=") })
    }
}
