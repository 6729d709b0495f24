/// The address of a hub, as `https://hub.example.org`: with TLS, or of this machine, because tokens would be read on a network.
public struct HubURL: Equatable, Sendable {
    /// The address without a slash at its end.
    public let text: String
    /// Whether it begins with https.
    public let isEncrypted: Bool

    /// Why a text is no address of a hub.
    public enum Fault: Error, Equatable {
        /// It is no address of an HTTP server, or has a user, a query or a fragment (RFC 3986).
        case malformed
        /// It begins with http and is not one of this machine: localhost, 127.0.0.1 or [::1], perhaps with a port.
        case unencrypted
    }

    /// Reads an address; slashes at its end are removed.
    public init(_ text: String) throws(Fault) {
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && ![0x23, 0x3F, 0x40].contains($0) })
        else { throw .malformed }
        var text = text
        while text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
        let place = text.dropFirst(scheme.utf8.count).prefix { $0 != "/" }
        guard !place.isEmpty else { throw .malformed }
        isEncrypted = scheme == "https://"
        let isHere = ["localhost", "127.0.0.1", "[::1]"].contains { host in
            place == host || place.hasPrefix(host + ":") && UInt16(place.dropFirst(host.utf8.count + 1)) != nil
        }
        guard isEncrypted || isHere else { throw .unencrypted }
        self.text = text
    }
}
