import CNetlink
import NetworkPaths

/// A request to the kernel in a reusable buffer, nlmsg_alloc(3).
struct NetlinkRequest: ~Copyable {
    /// Nil only if memory could not be allocated.
    private let message: OpaquePointer?

    init() { message = nlmsg_alloc() }

    deinit {
        if let message { nlmsg_free(message) }
    }

    /// Begins a new request with its fixed part.
    func begin<Part: BitwiseCopyable>(_ type: Int, flags: Int32 = 0, _ fixedPart: Part) {
        guard let message, let header = nlmsg_hdr(message) else { return }
        header.pointee = nlmsghdr()
        header.pointee.nlmsg_type = UInt16(truncatingIfNeeded: type)
        header.pointee.nlmsg_flags = UInt16(truncatingIfNeeded: NLM_F_REQUEST | flags)
        header.pointee.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size)
        withUnsafeBytes(of: fixedPart) { bytes in
            _ = nlmsg_append(
                message, UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count, Int32(NLMSG_ALIGNTO))
        }
    }

    /// Adds an attribute with a number.
    func add(_ type: Int, _ value: UInt32) {
        guard let message else { return }
        nla_put_u32(message, Int32(type), value)
    }

    /// Adds an attribute with an address.
    func add(_ type: Int, _ address: IPAddress) {
        let count = address.family.byteCount
        guard let message, let attribute = nla_reserve(message, Int32(type), Int32(count)) else { return }
        address.copyBytes(to: UnsafeMutableRawBufferPointer(start: nla_data(attribute), count: count))
    }

    /// The encoded request.
    func withBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        guard let message, let header = nlmsg_hdr(message) else {
            return body(UnsafeMutableRawBufferPointer(start: nil, count: 0))
        }
        return body(UnsafeMutableRawBufferPointer(start: header, count: Int(header.pointee.nlmsg_len)))
    }
}
