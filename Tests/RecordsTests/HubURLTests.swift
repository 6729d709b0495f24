import Records
import Testing

@Suite struct HubURLTests {
    @Test(
        arguments: [
            ("https://hub.example.org", "https://hub.example.org"),
            ("https://hub.example.org:8743//", "https://hub.example.org:8743"),
            ("https://example.org/hub/", "https://example.org/hub"), ("http://localhost", "http://localhost"),
            ("http://127.0.0.1:8743", "http://127.0.0.1:8743"), ("http://[::1]:1/", "http://[::1]:1"),
        ])
    func `a hub has an address with TLS, or one of this machine`(text: String, address: String) throws {
        let url = try HubURL(text)
        #expect(url.text == address && url.isEncrypted == text.hasPrefix("https:"))
    }

    @Test(
        arguments: [
            "", "hub.example.org", "ftp://hub.example.org", "https://", "https:///", "https:///path",
            "https://alice@hub",
            "https://hub?x", "https://hub#x", "https://hub example", "https://h\u{FC}b",
        ])
    func `what is no address of a server is malformed`(text: String) {
        #expect(throws: HubURL.Fault.malformed) { try HubURL(text) }
    }

    @Test(
        arguments: [
            "http://hub.example.org", "http://127.0.0.1.example.org", "http://localhost:x", "http://localhost:65536",
            "http://[::1].example.org",
        ])
    func `an address without TLS is one of this machine`(text: String) {
        #expect(throws: HubURL.Fault.unencrypted) { try HubURL(text) }
    }
}
