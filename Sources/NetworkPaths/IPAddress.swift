import Glibc

/// An address of the Internet Protocol: four or sixteen bytes, in network order.
public struct IPAddress: Hashable, Sendable {
    /// The version of the protocol.
    public enum Family: String, CaseIterable, Sendable {
        case ipv4, ipv6

        /// How many bytes its addresses have.
        public var byteCount: Int { self == .ipv4 ? 4 : 16 }
        /// AF_INET or AF_INET6.
        fileprivate var number: Int32 { self == .ipv4 ? AF_INET : AF_INET6 }
    }

    /// The version of the protocol.
    public let family: Family
    /// The first eight bytes; for version 4 all of the address, in its low half.
    private let high: UInt64
    private let low: UInt64

    /// The address of these bytes; nil where they are not as many as the family's addresses have.
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

    /// The address of these bytes; nil where they are not as many as the family's addresses have.
    public init?(_ family: Family, bytes: [UInt8]) {
        guard let address = bytes.withUnsafeBytes({ IPAddress(family, bytes: $0) }) else { return nil }
        self = address
    }

    /// The address that is written so, inet_pton(3); nil for anything else, a name or an address with a zone among it.
    public init?(_ text: String) {
        // To C the text ends where a zero stands.
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

    /// Its bytes, in network order.
    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            copyBytes(to: UnsafeMutableRawBufferPointer(buffer))
            count = family.byteCount
        }
    }

    /// Writes its bytes, in network order, where there has to be room for as many as the family's addresses have.
    public func copyBytes(to buffer: UnsafeMutableRawBufferPointer) {
        switch family {
        case .ipv4:
            buffer.storeBytes(of: UInt32(truncatingIfNeeded: high).bigEndian, as: UInt32.self)
        case .ipv6:
            buffer.storeBytes(of: high.bigEndian, as: UInt64.self)
            buffer.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
    }

    /// Whether it is this machine's own whatever the network: 127.0.0.0/8 or ::1.
    public var isLoopback: Bool {
        family == .ipv4 ? high >> 24 == 127 : high == 0 && low == 1
    }

    /// Whether it stands for no address: 0.0.0.0 or ::.
    public var isUnspecified: Bool { high == 0 && low == 0 }

    /// Whether it is one of version 6 that means something on one link only, multicast among them, so that the link has to
    /// be told besides.
    public var needsZone: Bool {
        guard family == .ipv6 else { return false }
        // ff01::/16 and ff02::/16 are this machine and the link, whatever the flags in between say (RFC 4291, 2.7).
        return isLinkLocal || high >> 56 == 0xff && high >> 48 & 0xf <= 2
    }

    /// Whether it means something on one link only: 169.254.0.0/16 or fe80::/10.
    public var isLinkLocal: Bool {
        family == .ipv4 ? high >> 16 == 0xa9fe : high >> 54 == 0x3fa
    }
}

extension IPAddress: CustomStringConvertible {
    /// As it is usually written, inet_ntop(3).
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

    /// The four numbers of version 4 with dots between.
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
