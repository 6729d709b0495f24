import Glibc

/// An address of the Internet Protocol: four or sixteen bytes, in network order.
public struct IPAddress: Hashable, Sendable {
    /// The version of the protocol.
    public enum Family: String, CaseIterable, Sendable {
        case ipv4, ipv6

        /// How many bytes its addresses have.
        public var byteCount: Int { self == .ipv4 ? 4 : 16 }
    }

    /// The version of the protocol.
    public let family: Family
    /// The first eight bytes; for version 4 all of the address, in its low half.
    private let high: UInt64
    private let low: UInt64

    /// The address of these bytes; nil where they are not as many as the family's addresses have.
    public init?(_ family: Family, bytes: some Collection<UInt8>) {
        guard bytes.count == family.byteCount else { return nil }
        self.family = family
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The address that is written so, inet_pton(3); nil for anything else, a name or an address with a zone among it.
    public init?(_ text: String) {
        // To C the text ends where a zero stands.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(.ipv4, bytes: bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(.ipv6, bytes: bytes)
        } else {
            return nil
        }
    }

    /// Its bytes, in network order.
    public var bytes: [UInt8] {
        func eight(_ word: UInt64) -> [UInt8] {
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
        return family == .ipv4 ? Array(eight(high).suffix(4)) : eight(high) + eight(low)
    }

    /// Whether it is this machine's own whatever the network: 127.0.0.0/8 or ::1.
    public var isLoopback: Bool {
        family == .ipv4 ? high >> 24 == 127 : high == 0 && low == 1
    }

    /// Whether it means something on one link only: 169.254.0.0/16 or fe80::/10.
    public var isLinkLocal: Bool {
        family == .ipv4 ? high >> 16 == 0xa9fe : high >> 54 == 0x3fa
    }
}

extension IPAddress: CustomStringConvertible {
    /// As it is usually written, inet_ntop(3).
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let written = inet_ntop(family == .ipv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return written.map { String(cString: $0) } ?? ""
    }
}
