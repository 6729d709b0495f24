import Location
import Testing

@testable import GPSD

struct EndpointTests {
    @Test(arguments: [
        ("localhost", "localhost:2947"), ("localhost:3000", "localhost:3000"), ("127.0.0.1", "127.0.0.1:2947"),
        ("127.0.0.1:65535", "127.0.0.1:65535"), ("::1", "[::1]:2947"), ("[::1]", "[::1]:2947"),
        ("[2001:db8::7]:4000", "[2001:db8::7]:4000"), ("unix:/run/gpsd.sock", "unix:/run/gpsd.sock"),
    ])
    func `an address is understood and written again`(_ text: String, _ written: String) throws {
        #expect(try Endpoint(text).description == written)
    }

    @Test func `localhost is both of its addresses in turn`() throws {
        #expect(try Endpoint("localhost") == .local)
        #expect(Endpoint.loopback.map(\.description) == ["::1", "127.0.0.1"])
    }

    @Test(arguments: ["gps.example.org", "gps.example.org:2947", "", ":2947", "256.1.1.1", "[::1", "127.0.0.1 "])
    func `a host name is refused with a reason`(_ text: String) throws {
        let error = #expect(throws: EndpointError.self) { () throws(EndpointError) in try Endpoint(text) }
        guard case .host = error else {
            Issue.record("another error")
            return
        }
    }

    @Test(arguments: ["127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:", "127.0.0.1:http", "[::1]2947", "[::1]:-1"])
    func `a port that is none is refused`(_ text: String) {
        let error = #expect(throws: EndpointError.self) { () throws(EndpointError) in try Endpoint(text) }
        guard case .port = error else {
            Issue.record("another error")
            return
        }
    }

    @Test(arguments: ["unix:", "unix:gpsd.sock"])
    func `a socket's path must begin at the root`(_ text: String) {
        #expect(throws: EndpointError.path(String(text.dropFirst(5)))) { () throws(EndpointError) in
            try Endpoint(text)
        }
    }
}
