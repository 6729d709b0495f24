import Testing

@testable import NetworkPaths

@Suite struct HostNameTests {
    private static let longLabel = String(repeating: "a", count: 63)
    private static let longest =
        Array(repeating: longLabel, count: 3).joined(separator: ".") + "." + longLabel.dropLast(2)

    @Test(arguments: [
        "localhost", "example.org", "example.org.", "EXAMPLE.org", "_sip._tcp.example.org", "a-b.c_d", "1.example",
        "xn--bcher-kva.example", "bücher.example", "例え.テスト", longest, longest + ".",
    ])
    func `a host name is preserved as written`(text: String) throws {
        #expect(try #require(HostName(text)).description == text)
    }

    @Test(arguments: [
        "", ".", "..", "a..b", ".a", "a b", "a\tb", "a\nb", "a\u{0}b", "a\u{7f}", "a\u{85}b", "a\u{200e}b", "a/b",
        "a:1",
        "::1", "fe80::1%2", "[::1]", "user@host", "-rf", "a.-b", "a-.b", "a.1", "10", "0x7f.1", "a.0x7F", "1.2.3.4.",
        "*.example.org", "a;b", "a\u{2028}b", "a\u{a0}b",
        longLabel + "a", longest + "a",
    ])
    func `an invalid host name is rejected`(text: String) {
        #expect(HostName(text) == nil)
    }

    @Test func `names that differ only in case are equal`() throws {
        let name = try #require(HostName("Example.ORG"))
        #expect(name == HostName("example.org"))
        #expect(name.hashValue == HostName("eXAMPLE.org")?.hashValue)
        #expect(name != HostName("example.org."), "without a dot at its end a search domain may be appended")
    }

    @Test func `only a name outside ASCII needs an encoding`() {
        #expect(HostName("bücher.example")?.isInternational == true)
        #expect(HostName("xn--bcher-kva.example")?.isInternational == false)
    }
}
