import NetworkPaths

/// A host with or without a port, in the form to type: `tracker.example.org:443`, `[2001:db8::1]:443`, `fe80::1%eth0`.
struct HostText: Equatable {
    /// The host.
    let host: TargetHost
    /// The port, where one was given.
    let port: UInt16?

    /// The error in a text, in a sentence.
    struct Mistake: Error, Equatable {
        let message: String
    }

    /// Parses a typed text. An IPv6 address without brackets has no port.
    init(parsing text: String) throws(Mistake) {
        if text.first == "[" {
            (host, port) = try Self.bracketed(text)
        } else if let host = TargetHost(text) {
            (self.host, port) = (host, nil)
        } else {
            (host, port) = try Self.separated(text)
        }
    }

    private static func bracketed(_ text: String) throws(Mistake) -> (TargetHost, UInt16?) {
        guard let end = text.firstIndex(of: "]") else {
            throw Mistake(message: "'\(text)' lacks the closing bracket after the address.")
        }
        let inside = String(text[text.index(after: text.startIndex)..<end])
        guard case .address(let address, _)? = TargetHost(inside), address.family == .ipv6,
            let host = TargetHost(inside)
        else { throw Mistake(message: "'\(inside)' is no IPv6 address; brackets are for IPv6 addresses only.") }
        let rest = text[text.index(after: end)...]
        if rest.isEmpty { return (host, nil) }
        guard rest.first == ":" else {
            throw Mistake(message: "'\(rest)' after the bracket is no port: write \(text[...end]):443.")
        }
        return (host, try port(rest.dropFirst()))
    }

    private static func separated(_ text: String) throws(Mistake) -> (TargetHost, UInt16?) {
        if text.contains("/") {
            throw Mistake(message: "'\(text)' is no host: omit the scheme and the path of a web address.")
        }
        guard let colon = text.lastIndex(of: ":") else { throw noHost(text) }
        let before = String(text[..<colon])
        guard let host = TargetHost(before) else { throw noHost(before) }
        if case .address(let address, _) = host, address.family == .ipv6 {
            throw Mistake(message: "'\(text)' is no address. With a port, write [\(before)]:443.")
        }
        return (host, try port(text[text.index(after: colon)...]))
    }

    private static func port(_ text: Substring) throws(Mistake) -> UInt16 {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text), port > 0 else {
            throw Mistake(message: "'\(text)' is no port: give a number from 1 to 65535.")
        }
        return port
    }

    private static func noHost(_ text: String) -> Mistake {
        Mistake(message: "'\(text)' is no host: give a name such as tracker.example.org, or an address.")
    }
}

extension HostText: CustomStringConvertible {
    /// The form to type, as short as possible.
    var description: String { Self.text(host: host.description, port: port) }

    /// A host and a port in one text, with the address in brackets if it has colons.
    static func text(host: String, port: UInt16?) -> String {
        guard let port else { return host }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
