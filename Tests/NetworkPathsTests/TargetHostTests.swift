import NetworkPaths
import Testing

@Suite struct TargetHostTests {
    @Test(arguments: [
        "localhost", "tracker.example.org", "tracker.example.org.", "xn--mnchen-3ya.de", "münchen.de",
        "_ldap.example.org",
        "3com.com",
        "a", "1.2.3.example", "2001.db8", "0x.example.org", String(repeating: "a", count: 63) + ".org",
    ]) func `a name is a host`(text: String) {
        #expect(TargetHost(text) == .name(text))
        #expect(TargetHost(text)?.description == text)
    }

    @Test(
        arguments: [
            ("192.0.2.1", nil), ("::", nil), ("2001:DB8::1", nil), ("fe80::1", nil), ("fe80::1%eth0", "eth0"),
            ("fe80::1%2", "2"), ("fe80::1%wlp0s20f3.100", "wlp0s20f3.100"), ("::ffff:192.0.2.1", nil),
        ] as [(String, String?)]) func `an address is a host`(text: String, zone: String?) throws
    {
        let address = try #require(IPAddress(String(text.prefix { $0 != "%" })))
        #expect(TargetHost(text) == .address(address, zone: zone))
        #expect(TargetHost(text)?.description == "\(address)" + (zone.map { "%\($0)" } ?? ""))
    }

    @Test(arguments: [
        "", ".", "..", "a..b", ".a", "-a.org", "a-.org", "-h", "a b", "a\n", "a/b", "a:443", "[::1]", "[::1]:443",
        "192.0.2.300", "192.0.2", "10", "0x7f.1", "example.0x7f", "1.2.3.4.", "a\u{0}b", "user@host",
        "fe80::1%", "fe80::1%a/b", "fe80::1%a b", "fe80::1%eth0%eth0", "fe80::1%abcdefghijklmnop", "2001:db8::1%eth0",
        "192.0.2.1%eth0", ":::", "2001:db8", String(repeating: "a", count: 64),
        String(repeating: "abcdefg.", count: 32), String(repeating: "a.", count: 128) + "a",
    ]) func `any other text is no host`(text: String) {
        #expect(TargetHost(text) == nil)
    }
}
