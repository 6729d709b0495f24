import CNetlink
import Glibc
import NetworkPaths

/// One attribute of a message: a type, and bytes that lie completely within the message.
struct NetlinkAttribute {
    /// The type, without the flags for nesting and byte order.
    let type: Int

    /// The payload.
    let bytes: UnsafeRawBufferPointer

    /// The beginning of the payload as a number or structure in the machine's byte order; nil if the payload is
    /// shorter.
    func value<Value: BitwiseCopyable>(_: Value.Type) -> Value? {
        bytes.count >= MemoryLayout<Value>.size ? bytes.loadUnaligned(as: Value.self) : nil
    }

    /// The payload up to a NUL as text; invalid UTF-8 is replaced.
    var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

    /// The payload as an address; nil if its length is not that of an address.
    func address(_ family: IPAddress.Family) -> IPAddress? { IPAddress(family, bytes: bytes) }

    /// The nested attributes.
    var nested: NetlinkAttributes { NetlinkAttributes(bytes) }
}

/// Consecutive attributes (struct nlattr of linux/netlink.h), up to the first invalid one. They are parsed here and not
/// by libnl, because they are most of a reply, and clients wait for the result.
struct NetlinkAttributes: Sequence, IteratorProtocol {
    private static let headerBytes = MemoryLayout<nlattr>.size
    /// NLA_TYPE_MASK: all bits except those for nested and big-endian attributes.
    private static let typeMask: UInt16 = 0x3fff

    private var rest: UnsafeRawBufferPointer

    init(first: UnsafePointer<nlattr>?, byteCount: Int32) {
        rest = UnsafeRawBufferPointer(start: first, count: first == nil ? 0 : Int(Swift.max(0, byteCount)))
    }

    /// The attributes in these bytes, which begin with an attribute.
    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    mutating func next() -> NetlinkAttribute? {
        guard rest.count >= Self.headerBytes else { return nil }
        let header = rest.loadUnaligned(as: nlattr.self)
        let length = Int(header.nla_len)
        guard length >= Self.headerBytes, length <= rest.count else { return nil }
        let attribute = NetlinkAttribute(
            type: Int(header.nla_type & Self.typeMask),
            bytes: UnsafeRawBufferPointer(rebasing: rest[Self.headerBytes..<length]))
        // The last attribute may lack its padding.
        rest = UnsafeRawBufferPointer(rebasing: rest[Swift.min((length + 3) & ~3, rest.count)...])
        return attribute
    }
}

extension IPAddress.Family {
    /// AF_INET or AF_INET6; nil for any other number.
    init?(number: Int) {
        switch Int32(number) {
        case AF_INET: self = .ipv4
        case AF_INET6: self = .ipv6
        default: return nil
        }
    }

    /// AF_INET or AF_INET6.
    var number: UInt8 { UInt8(self == .ipv4 ? AF_INET : AF_INET6) }
}
