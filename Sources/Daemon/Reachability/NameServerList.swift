import NetworkPaths

/// The name servers that a file in the form of resolv.conf(5) names.
struct NameServerList: Equatable {
    /// The file's servers, in its order; those of lines that cannot be read are left out.
    let servers: [HostAddress]

    /// How many glibc asks of those that a file names, MAXNS.
    static let mostOfGlibc = 3
    /// How many are read where others ask.
    static let most = 16

    /// Reads a file, of it the first so many servers.
    init(_ bytes: [UInt8], most: Int = mostOfGlibc) {
        var servers: [HostAddress] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) where servers.count < most {
            // The word stands at the beginning; a comment is a line of its own.
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

    /// Whether one of them is systemd-resolved's own, which asks others: 127.0.0.53 and .54, systemd-resolved.service(8).
    var hasStub: Bool {
        servers.contains { server in
            server.address.family == .ipv4
                && [[127, 0, 0, 53], [127, 0, 0, 54]].contains(server.address.bytes)
        }
    }
}
