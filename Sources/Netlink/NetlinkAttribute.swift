import CNetlink
import Glibc
import NetworkPaths

/// One attribute of a message: a type and bytes, which lie whole within the message.
struct NetlinkAttribute {
    /// Which one it is, without the bits that say how it is written.
    let type: Int

    /// Its bytes.
    let bytes: UnsafeRawBufferPointer

    /// Its beginning as a number or a structure in the machine's own order; nil where it is shorter.
    func value<Value: BitwiseCopyable>(_: Value.Type) -> Value? {
        bytes.count >= MemoryLayout<Value>.size ? bytes.loadUnaligned(as: Value.self) : nil
    }

    /// Its bytes up to a NUL, with what is no UTF-8 replaced.
    var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

    /// Its bytes as an address; nil where they are not as many as an address has.
    func address(_ family: IPAddress.Family) -> IPAddress? { IPAddress(family, bytes: bytes) }

    /// The attributes within it.
    var nested: NetlinkAttributes { NetlinkAttributes(bytes) }
}

/// Attributes that follow one another, up to the first that cannot be one: struct nlattr of linux/netlink.h each. They are
/// read here and not by libnl, as they are most of what the kernel says, and somebody waits for it.
struct NetlinkAttributes: Sequence, IteratorProtocol {
    private static let headerBytes = MemoryLayout<nlattr>.size
    /// NLA_TYPE_MASK: without the bits for nested and for big-endian attributes.
    private static let typeMask: UInt16 = 0x3fff

    private var rest: UnsafeRawBufferPointer

    init(first: UnsafePointer<nlattr>?, byteCount: Int32) {
        rest = UnsafeRawBufferPointer(start: first, count: first == nil ? 0 : Int(Swift.max(0, byteCount)))
    }

    /// Those in bytes that begin where an attribute does.
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
        // The last one may lack what fills it up.
        rest = UnsafeRawBufferPointer(rebasing: rest[Swift.min((length + 3) & ~3, rest.count)...])
        return attribute
    }
}

extension IPAddress.Family {
    /// AF_INET or AF_INET6; nil for any other.
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
