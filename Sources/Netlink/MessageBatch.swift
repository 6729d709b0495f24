import CNetlink
import Glibc

/// Room for some announcements, used again for each batch of them: receiving allocates nothing.
struct MessageBatch: ~Copyable {
    /// What became of receiving.
    enum Outcome {
        /// So many messages are there.
        case messages(Int)
        /// There is nothing to receive.
        case nothing
        /// The kernel has dropped what did not fit into the socket's buffer, ENOBUFS.
        case overrun
    }

    /// One of them.
    struct Datagram {
        /// As much of it as there was room for.
        let bytes: UnsafeRawBufferPointer
        /// The port it came from: 0 for the kernel.
        let sender: UInt32
        /// Whether there was more.
        let isTruncated: Bool
    }

    /// The kernel builds announcements in at most a page, apart from unusual interfaces.
    private static let stride = 8_192
    /// How many are taken at once.
    static let capacity = Int(waymark_netlink_batch)

    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: stride * capacity, alignment: MemoryLayout<nlmsghdr>.alignment)
    private let received = UnsafeMutableBufferPointer<waymark_netlink_received>.allocate(capacity: capacity)

    init() {
        received.initialize(repeating: waymark_netlink_received())
    }

    deinit {
        buffer.deallocate()
        received.deallocate()
    }

    /// Takes what a socket has, as much as there is room for, without waiting.
    func receive(from socket: Int32) -> Outcome {
        while true {
            let count = waymark_netlink_receive(
                socket, buffer.baseAddress, Self.stride, received.baseAddress, UInt32(Self.capacity))
            if count > 0 { return .messages(Int(count)) }
            if count == 0 || errno == EAGAIN { return .nothing }
            // Whatever else fails: announcements may be lost.
            if errno != EINTR { return .overrun }
        }
    }

    /// One of the messages of the last batch, valid until the next one.
    subscript(index: Int) -> Datagram {
        let start = index * Self.stride
        let length = min(Int(received[index].length), Self.stride)
        return Datagram(
            bytes: UnsafeRawBufferPointer(rebasing: buffer[start..<start + length]), sender: received[index].sender,
            isTruncated: received[index].is_truncated != 0)
    }
}
