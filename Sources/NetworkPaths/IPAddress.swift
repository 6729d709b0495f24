import Glibc

/// An IP address: four or sixteen bytes, in network order.
public struct IPAddress: Hashable, Sendable {
    /// The IP version.
    public enum Family: String, CaseIterable, Sendable {
        case ipv4, ipv6

        /// The number of bytes of its addresses.
        public var byteCount: Int { self == .ipv4 ? 4 : 16 }
        /// AF_INET or AF_INET6.
        fileprivate var number: Int32 { self == .ipv4 ? AF_INET : AF_INET6 }
    }

    /// The IP version.
    public let family: Family
    /// The first eight bytes; for IPv4 the whole address, in the low half.
    private let high: UInt64
    private let low: UInt64

    /// The address with these bytes; nil if their number is not that of the family's addresses.
    public init?(_ family: Family, bytes: UnsafeRawBufferPointer) {
        guard bytes.count == family.byteCount else { return nil }
        self.family = family
        switch family {
        case .ipv4:
            high = UInt64(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
            low = 0
        case .ipv6:
            high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
            low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }

    /// The address with these bytes; nil if their number is not that of the family's addresses.
    public init?(_ family: Family, bytes: [UInt8]) {
        guard let address = bytes.withUnsafeBytes({ IPAddress(family, bytes: $0) }) else { return nil }
        self = address
    }

    /// Parses an address, inet_pton(3); nil for anything else, including names and addresses with a zone.
    public init?(_ text: String) {
        // For C the text ends at a zero byte.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = (UInt64(0), UInt64(0))
        let address = withUnsafeMutableBytes(of: &bytes) { bytes -> IPAddress? in
            for family in Family.allCases where inet_pton(family.number, text, bytes.baseAddress) == 1 {
                return IPAddress(family, bytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(family.byteCount)))
            }
            return nil
        }
        guard let address else { return nil }
        self = address
    }

    /// The bytes, in network order.
    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            copyBytes(to: UnsafeMutableRawBufferPointer(buffer))
            count = family.byteCount
        }
    }

    /// Writes the bytes, in network order. The buffer must have room for the family's number of bytes.
    public func copyBytes(to buffer: UnsafeMutableRawBufferPointer) {
        switch family {
        case .ipv4:
            buffer.storeBytes(of: UInt32(truncatingIfNeeded: high).bigEndian, as: UInt32.self)
        case .ipv6:
            buffer.storeBytes(of: high.bigEndian, as: UInt64.self)
            buffer.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
    }

    /// Whether it is a loopback address: 127.0.0.0/8 or ::1.
    public var isLoopback: Bool {
        family == .ipv4 ? high >> 24 == 127 : high == 0 && low == 1
    }

    /// Whether it is the unspecified address: 0.0.0.0 or ::.
    public var isUnspecified: Bool { high == 0 && low == 0 }

    /// Whether it is an IPv6 address, including multicast, that is only valid on one link, so that the link has to be
    /// specified too.
    public var needsZone: Bool {
        guard family == .ipv6 else { return false }
        // ff01::/16 and ff02::/16 have the scopes interface and link, whatever the flags between are (RFC 4291, 2.7).
        return isLinkLocal || high >> 56 == 0xff && high >> 48 & 0xf <= 2
    }

    /// Whether it is a link-local unicast address: 169.254.0.0/16 or fe80::/10.
    public var isLinkLocal: Bool {
        family == .ipv4 ? high >> 16 == 0xa9fe : high >> 54 == 0x3fa
    }
}

extension IPAddress: CustomStringConvertible {
    /// The usual notation, inet_ntop(3).
    public var description: String {
        if family == .ipv4 { return dotted }
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2) { bytes in
            copyBytes(to: UnsafeMutableRawBufferPointer(bytes))
            return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
                let written = inet_ntop(family.number, bytes.baseAddress, text.baseAddress, socklen_t(text.count))
                return written.map { String(cString: $0) } ?? ""
            }
        }
    }

    /// IPv4 in dotted decimal notation.
    private var dotted: String {
        String(unsafeUninitializedCapacity: 15) { text in
            var count = 0
            for shift in [UInt64(24), 16, 8, 0] {
                if count > 0 {
                    text[count] = UInt8(ascii: ".")
                    count += 1
                }
                let number = UInt8(truncatingIfNeeded: high >> shift)
                for power in [UInt8(100), 10, 1] where number >= power || power == 1 {
                    text[count] = UInt8(ascii: "0") + number / power % 10
                    count += 1
                }
            }
            return count
        }
    }
}
