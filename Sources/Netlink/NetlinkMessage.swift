import CNetlink

/// A netlink message that lies completely within a buffer, and is valid as long as the buffer is.
struct NetlinkMessage {
    /// The header. `nlmsg_len` bytes from its start are readable.
    let header: UnsafePointer<nlmsghdr>

    /// The message type: RTM_* or NLMSG_*.
    var type: Int { Int(header.pointee.nlmsg_type) }
    /// NLM_F_*.
    var flags: Int32 { Int32(header.pointee.nlmsg_flags) }

    /// The fixed part after the header; nil if the message is shorter.
    func fixedPart<Part: BitwiseCopyable>(_: Part.Type) -> Part? {
        guard Int(nlmsg_datalen(header)) >= MemoryLayout<Part>.size, let data = nlmsg_data(header) else { return nil }
        return UnsafeRawPointer(data).loadUnaligned(as: Part.self)
    }

    /// The attributes after the fixed part.
    func attributes<Part: BitwiseCopyable>(after _: Part.Type) -> NetlinkAttributes {
        let size = Int32(MemoryLayout<Part>.size)
        return NetlinkAttributes(first: nlmsg_attrdata(header, size), byteCount: nlmsg_attrlen(header, size))
    }

    /// Passes the messages of a datagram to `body` in order, until `body` returns false or an invalid message follows.
    /// The buffer has to be aligned for a header.
    static func forEach(in datagram: UnsafeRawBufferPointer, _ body: (NetlinkMessage) -> Bool) {
        var remaining = Int32(clamping: datagram.count)
        var next = datagram.baseAddress?.assumingMemoryBound(to: nlmsghdr.self)
        // Some releases of libnl treat a negative remainder, after a message with an odd length, as a large number.
        while let header = next, remaining > 0, nlmsg_ok(header, remaining) != 0 {
            if !body(NetlinkMessage(header: header)) { return }
            next = UnsafePointer(nlmsg_next(UnsafeMutablePointer(mutating: header), &remaining))
        }
    }
}
