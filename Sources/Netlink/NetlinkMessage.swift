import CNetlink

/// A netlink message that lies whole within a buffer, and is valid as long as the buffer is.
struct NetlinkMessage {
    /// Its header, with `nlmsg_len` bytes from there.
    let header: UnsafePointer<nlmsghdr>

    /// What it is: RTM_* or NLMSG_*.
    var type: Int { Int(header.pointee.nlmsg_type) }
    /// NLM_F_*.
    var flags: Int32 { Int32(header.pointee.nlmsg_flags) }

    /// The fixed part that follows the header; nil where the message is shorter.
    func fixedPart<Part: BitwiseCopyable>(_: Part.Type) -> Part? {
        guard Int(nlmsg_datalen(header)) >= MemoryLayout<Part>.size, let data = nlmsg_data(header) else { return nil }
        return UnsafeRawPointer(data).loadUnaligned(as: Part.self)
    }

    /// The attributes that follow the fixed part.
    func attributes<Part: BitwiseCopyable>(after _: Part.Type) -> NetlinkAttributes {
        let size = Int32(MemoryLayout<Part>.size)
        return NetlinkAttributes(first: nlmsg_attrdata(header, size), byteCount: nlmsg_attrlen(header, size))
    }

    /// Hands on the messages of a datagram in order, as long as `body` wants more. What cannot be a message ends it.
    /// The buffer has to be aligned for a header.
    static func forEach(in datagram: UnsafeRawBufferPointer, _ body: (NetlinkMessage) -> Bool) {
        var remaining = Int32(clamping: datagram.count)
        var next = datagram.baseAddress?.assumingMemoryBound(to: nlmsghdr.self)
        // Some releases of libnl take a remainder below zero, behind a message whose length is odd, for a large one.
        while let header = next, remaining > 0, nlmsg_ok(header, remaining) != 0 {
            if !body(NetlinkMessage(header: header)) { return }
            next = UnsafePointer(nlmsg_next(UnsafeMutablePointer(mutating: header), &remaining))
        }
    }
}
