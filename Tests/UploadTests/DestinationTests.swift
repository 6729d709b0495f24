import Location
import Testing

@testable import Upload

/// Addresses of destinations, and conflicting settings.
@Suite struct DestinationTests {
    @Test(arguments: [
        ("https://t.example.org", "https://t.example.org/", 443),
        ("HTTP://localhost:5055/x?y=1", "http://localhost:5055/x?y=1", 5_055),
        ("https://[2001:db8::1]:8443/in", "https://[2001:db8::1]:8443/in", 8_443),
        ("https://t.example.org:443/in", "https://t.example.org/in", 443),
        ("mqtts://b.example.org", "mqtts://b.example.org", 8_883), ("mqtt://127.0.0.1/", "mqtt://127.0.0.1", 1_883),
        ("https://192.0.2.1?a", "https://192.0.2.1/?a", 443),
    ]) func `an address is parsed`(_ text: String, _ written: String, _ port: UInt16) throws {
        let url = try DestinationURL(parsing: text)
        #expect(url.text == written)
        #expect(url.port == port)
        #expect(try DestinationURL(parsing: written) == url)
    }

    @Test(arguments: [
        ("", "does not begin with https://, http://, mqtts:// or mqtt://"),
        ("ftp://x", "does not begin with https://, http://, mqtts:// or mqtt://"),
        ("https://", "names no host"), ("https:///x", "names no host"), ("https://-a/", "names no host"),
        ("https://a b/", "has a character that no URL may contain; write it as % and two digits"),
        ("https://ü.example/", "has a character that no URL may contain; write it as % and two digits"),
        ("https://u:p@a/", "has a user or a password in it; put them into a credential"),
        ("https://a/#x", "has a fragment, which is never sent"),
        ("https://a:0/", "has no port from 1 to 65535 after its colon"),
        ("https://a:99999/", "has no port from 1 to 65535 after its colon"),
        ("https://a:x/", "has no port from 1 to 65535 after its colon"),
        ("https://2001:db8::1/", "has an IPv6 address that is not in brackets, as in https://[2001:db8::1]/"),
        ("mqtts://a/b", "has a path, which is not used for brokers; set Topic= for the topic"),
        ("https://a/" + String(repeating: "x", count: 3_000), "is too long for an address"),
    ]) func `an invalid address is reported`(_ text: String, _ fault: String) {
        #expect(throws: DestinationURL.Fault(description: fault)) { try DestinationURL(parsing: text) }
    }

    @Test func `an address for people has no query`() throws {
        #expect(try DestinationURL(parsing: "https://a.example/in?token=secret").description == "https://a.example/in")
    }

    private func objections(_ change: (inout UploadConfiguration) -> Void) -> [String] {
        var configuration = Samples.configuration(.owntracks)
        change(&configuration)
        return configuration.objections.map { "\($0.section).\($0.key): \($0.message)" }
    }

    @Test func `conflicting settings are reported`() {
        #expect(objections { _ in } == [])
        #expect(
            objections { $0.destination.url = nil }
                == ["Destination.URL: is not set. Write the address of the destination"])
        #expect(
            objections { $0.destination.format = nil }
                == [
                    "Destination.Format: is not set. "
                        + "Choose one of \(UploadFormat.all.map(\.name).joined(separator: ", "))"
                ]
        )
        #expect(objections { $0.destination.url = Samples.url("http://localhost:8080/") } == [])
        #expect(objections { $0.destination.url = Samples.url("http://[::1]/") } == [])
        let plain: (inout UploadConfiguration) -> Void = { $0.destination.url = Samples.url("http://t.example.org/") }
        #expect(
            objections(plain) == [
                "Destination.URL: everyone on the network path could read the positions. "
                    + "Write https://, or Unencrypted=yes"
            ])
        #expect(
            objections {
                plain(&$0)
                $0.destination.allowsUnencrypted = true
            } == [])
        #expect(
            objections {
                $0.destination.url = Samples.url("mqtts://b")
                $0.destination.format = .geojson
            } == ["Destination.Format: geojson is not published to brokers. Only owntracks is"])
        #expect(objections { $0.device.user = "" } == ["Device.User: is not set. owntracks needs it"])
        #expect(
            objections { $0.credential.kind = .bearer }
                == ["Credential.Name: is not set. Name a credential of the service"])
        #expect(
            objections { $0.credential.name = "x" }
                == ["Credential.Kind: is not set. Choose one of basic, bearer, certificate"])
        #expect(
            objections {
                $0.destination.url = Samples.url("mqtts://b")
                $0.credential.kind = .bearer
                $0.credential.name = "x"
            } == ["Credential.Kind: MQTT has no bearer tokens. Use basic or certificate"])
        #expect(
            objections {
                $0.destination.format = .overland
                $0.credential.encryption = "x"
            } == ["Credential.Encryption: only owntracks has encryption. Remove the line"])
        let place = Samples.url("https://h/{secret}")
        #expect(
            objections { $0.destination.url = place }.first?.hasPrefix("Credential.Secret: is not set.") == true)
        #expect(
            objections {
                $0.destination.url = place
                $0.credential.secret = "hook"
            } == [])
        for url in ["https://h/", "mqtts://h"] {
            let found = objections {
                $0.destination.url = Samples.url(url)
                $0.credential.secret = "hook"
            }
            #expect(found.first?.hasPrefix("Destination.URL: has no {secret}") == true, "\(found)")
        }
    }
}
