import CNetlink
import Glibc

/// A reusable buffer for a batch of announcements: receiving allocates no memory.
struct MessageBatch: ~Copyable {
    /// The result of receiving.
    enum Outcome {
        /// This number of messages was received.
        case messages(Int)
        /// No message is queued.
        case nothing
        /// The kernel has dropped messages that did not fit into the socket's buffer, ENOBUFS.
        case overrun
    }

    /// One message of the batch.
    struct Datagram {
        /// Its bytes, as far as they fit into the buffer.
        let bytes: UnsafeRawBufferPointer
        /// The port of the sender: 0 for the kernel.
        let sender: UInt32
        /// Whether it was longer than the buffer.
        let isTruncated: Bool
    }

    /// The kernel's announcements fit into one page, apart from unusual interfaces.
    private static let stride = 8_192
    /// The most messages in a batch.
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

    /// Receives the queued messages of a socket, up to `capacity`, without blocking.
    func receive(from socket: Int32) -> Outcome {
        while true {
            let count = waymark_netlink_receive(
                socket, buffer.baseAddress, Self.stride, received.baseAddress, UInt32(Self.capacity))
            if count > 0 { return .messages(Int(count)) }
            if count == 0 || errno == EAGAIN { return .nothing }
            // After any other error announcements may be lost.
            if errno != EINTR { return .overrun }
        }
    }

    /// A message of the last batch, valid until the next batch.
    subscript(index: Int) -> Datagram {
        let start = index * Self.stride
        let length = min(Int(received[index].length), Self.stride)
        return Datagram(
            bytes: UnsafeRawBufferPointer(rebasing: buffer[start..<start + length]), sender: received[index].sender,
            isTruncated: received[index].is_truncated != 0)
    }
}
