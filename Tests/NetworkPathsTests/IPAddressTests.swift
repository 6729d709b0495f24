import NetworkPaths
import Testing

@Suite struct IPAddressTests {
    @Test(arguments: ["192.0.2.1", "0.0.0.0", "255.255.255.255", "2001:db8::1", "::", "fe80::a:b", "::ffff:192.0.2.1"])
    func `an address is written as it was read`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == text)
        #expect(IPAddress(address.family, bytes: address.bytes) == address)
        #expect(address.bytes.count == address.family.byteCount)
    }

    @Test(arguments: [
        "", "localhost", "192.0.2", "192.0.2.256", "fe80::1%eth0", "2001:db8::1::", " 192.0.2.1", "1", "192.0.2.1\u{0}",
        "::1\u{0}x",
    ])
    func `an invalid address is rejected`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func `bytes of another family's length make no address`() {
        #expect(IPAddress(.ipv4, bytes: [1, 2, 3]) == nil)
        #expect(IPAddress(.ipv6, bytes: [1, 2, 3, 4]) == nil)
    }

    @Test func `equal addresses in different notations are equal`() {
        #expect(IPAddress("2001:DB8:0::1") == IPAddress("2001:db8::1"))
        #expect(IPAddress("::ffff:192.0.2.1") != IPAddress("192.0.2.1"))
    }

    @Test func `loopback and link-local addresses are recognized`() throws {
        for text in ["127.0.0.1", "127.255.0.9", "::1"] { #expect(IPAddress(text)?.isLoopback == true, "\(text)") }
        for text in ["128.0.0.1", "::2", "::", "0.0.0.1"] { #expect(IPAddress(text)?.isLoopback == false, "\(text)") }
        for text in ["169.254.3.4", "fe80::1", "febf::1"] { #expect(IPAddress(text)?.isLinkLocal == true, "\(text)") }
        for text in ["169.253.3.4", "fec0::1", "2001:db8::1"] {
            #expect(IPAddress(text)?.isLinkLocal == false, "\(text)")
        }
    }

    @Test func `an address that needs a zone is recognized`() {
        for text in ["fe80::1", "ff02::1", "ff01::1", "ff12::1"] {
            #expect(IPAddress(text)?.needsZone == true, "\(text)")
        }
        for text in ["2001:db8::1", "ff05::1", "ff0e::1", "::1", "169.254.3.4", "224.0.0.1"] {
            #expect(IPAddress(text)?.needsZone == false, "\(text)")
        }
    }

    @Test func `only the address of zeroes is unspecified`() {
        for text in ["0.0.0.0", "::"] { #expect(IPAddress(text)?.isUnspecified == true, "\(text)") }
        for text in ["0.0.0.1", "1.0.0.0", "::1", "1::"] { #expect(IPAddress(text)?.isUnspecified == false, "\(text)") }
    }
}
