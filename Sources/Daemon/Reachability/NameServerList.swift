import NetworkPaths

/// The name servers listed in a file in the form of resolv.conf(5).
struct NameServerList: Equatable {
    /// The servers in the file's order. Lines that cannot be parsed are skipped.
    let servers: [HostAddress]

    /// The number of listed servers that glibc uses, MAXNS.
    static let mostOfGlibc = 3
    /// The number of servers that are read where another resolver than glibc uses them.
    static let most = 16

    /// Parses a file, up to `most` servers.
    init(_ bytes: [UInt8], most: Int = mostOfGlibc) {
        var servers: [HostAddress] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) where servers.count < most {
            // The keyword starts the line; a comment is a line of its own.
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2).flatMap {
                $0.split(separator: UInt8(ascii: "\t"), maxSplits: 2)
            }
            guard line.first == UInt8(ascii: "n"), words.count >= 2, words[0].elementsEqual("nameserver".utf8),
                let text = String(validating: words[1].prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self),
                let server = HostAddress(text)
            else { continue }
            servers.append(server)
        }
        self.servers = servers
    }

    /// Whether one of the servers is systemd-resolved's stub, which forwards to other servers: 127.0.0.53 and .54,
    /// systemd-resolved.service(8).
    var hasStub: Bool {
        servers.contains { server in
            server.address.family == .ipv4
                && [[127, 0, 0, 53], [127, 0, 0, 54]].contains(server.address.bytes)
        }
    }
}
