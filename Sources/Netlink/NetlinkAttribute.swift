import CNetlink
import Glibc
import Location

/// One attribute of a message: a type and bytes, which lie whole within the message.
struct NetlinkAttribute {
    private let pointer: UnsafePointer<nlattr>

    fileprivate init(_ pointer: UnsafePointer<nlattr>) { self.pointer = pointer }

    /// Which one it is, without the bits that say how it is written.
    var type: Int { Int(nla_type(pointer)) }

    /// Its bytes.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nla_data(pointer), count: Int(max(0, nla_len(pointer))))
    }

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

/// Attributes that follow one another, up to the first that cannot be one.
struct NetlinkAttributes: Sequence, IteratorProtocol {
    private var position: UnsafePointer<nlattr>?
    private var remaining: Int32

    init(first: UnsafePointer<nlattr>?, byteCount: Int32) {
        position = first
        remaining = byteCount
    }

    /// Those in bytes that begin where an attribute does.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(
            first: bytes.baseAddress?.assumingMemoryBound(to: nlattr.self), byteCount: Int32(clamping: bytes.count))
    }

    mutating func next() -> NetlinkAttribute? {
        // Some releases of libnl take a remainder below zero, behind an attribute whose length is odd, for a large one.
        guard let position, remaining > 0, nla_ok(position, remaining) != 0 else { return nil }
        self.position = UnsafePointer(nla_next(position, &remaining))
        return NetlinkAttribute(position)
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
