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
    func `a name of a host is taken as it is written`(text: String) throws {
        #expect(try #require(HostName(text)).description == text)
    }

    @Test(arguments: [
        "", ".", "..", "a..b", ".a", "a b", "a\tb", "a\nb", "a\u{0}b", "a\u{7f}", "a\u{85}b", "a\u{200e}b", "a/b",
        "a:1",
        "::1", "fe80::1%2", "[::1]", "user@host", "-rf", "a.-b", "a-.b", "a.1", "10", "0x7f.1", "a.0x7F", "1.2.3.4.",
        "*.example.org", "a;b", "a\u{2028}b", "a\u{a0}b",
        longLabel + "a", longest + "a",
    ])
    func `what cannot be the name of a host is none`(text: String) {
        #expect(HostName(text) == nil)
    }

    @Test func `names that differ in capitals only are the same`() throws {
        let name = try #require(HostName("Example.ORG"))
        #expect(name == HostName("example.org"))
        #expect(name.hashValue == HostName("eXAMPLE.org")?.hashValue)
        #expect(name != HostName("example.org."), "without the dot at its end a name may be added to")
    }

    @Test func `only a name that is not ASCII takes an encoding of its own`() {
        #expect(HostName("bücher.example")?.isInternational == true)
        #expect(HostName("xn--bcher-kva.example")?.isInternational == false)
    }
}
