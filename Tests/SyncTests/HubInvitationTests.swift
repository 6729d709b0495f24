import JSONText
import Records
import Testing

@testable import Sync

@Suite struct HubInvitationTests {
    private static let digest = String(repeating: "ab", count: 32)

    @Test func `an invitation has an address and a code, perhaps with the digest of the hub's key`() throws {
        let plain = try HubInvitation(hub: "https://hub.example.org/", code: "MMC9-0AH5-D1Z4-SV4G")
        #expect(plain.hub == "https://hub.example.org" && plain.pin == nil && plain.code == "MMC9-0AH5-D1Z4-SV4G")
        let pinned = try HubInvitation(hub: "https://server:8743", code: "MMC9-0AH5-D1Z4-SV4G." + Self.digest)
        #expect(pinned.pin == Array(repeating: 0xAB, count: 32) && pinned.code == "MMC9-0AH5-D1Z4-SV4G")
        #expect(try HubInvitation(hub: "http://127.0.0.1:8743", code: "X").hub == "http://127.0.0.1:8743")
    }

    @Test(arguments: [
        "server:8743", "http://server:8743", "http://127.0.0.1.example.org", "http://localhost@example.org",
        "https://", "https://alice@server", "https://server?x", "https://ser ver", "ftp://server", "",
        "http://[::1].example.org",
    ])
    func `other addresses are refused`(address: String) {
        #expect(throws: HubInvitation.Objection.self) { try HubInvitation(hub: address, code: "X") }
    }

    @Test(arguments: ["", ".", "X.", "X.ab", "X.\(digest).\(digest)", "X.\(digest.dropLast())g"])
    func `other codes are refused`(code: String) {
        #expect(throws: HubInvitation.Objection.self) { try HubInvitation(hub: "https://server", code: code) }
    }

    @Test func `a code with a digest is for TLS only`() {
        #expect(throws: HubInvitation.Objection.self) {
            try HubInvitation(hub: "http://127.0.0.1:1", code: "X." + Self.digest)
        }
    }

    @Test func `names in addresses are escaped`() {
        let zone = ZoneID(Container(named("org.example.notes")), owner: named("alice"), named("a/b?c#..%"))
        #expect(
            HubAddress.records(zone)
                == "/v1/production/org.example.notes/zones/alice/a%2Fb%3Fc%23..%25/records")
        let dots = ZoneID(Container(named("org.example.notes")), owner: named("alice"), named(".."))
        #expect(HubAddress.records(dots).contains("/%2E%2E/"))
    }
}
