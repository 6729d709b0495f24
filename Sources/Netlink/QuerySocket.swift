import CNetlink
import Glibc
import Platform

/// A socket that sends queries to the kernel, one at a time, and never blocks for a reply: rtnetlink has queued the
/// reply, or its first part, before the send returns.
///
/// A send may block on the kernel's rtnl_lock while another process changes interfaces: queries about interfaces needed
/// up to a tenth of a second while five hundred pairs of interfaces were removed at once.
public final class QuerySocket: KernelExchange {
    /// The errors since the socket was opened.
    public struct Counters: Equatable, Sendable {
        /// Requests without a complete reply.
        public var unanswered = 0
        /// Datagrams that belonged to another request, or came from another sender.
        public var strays = 0

        /// Creates counters.
        public init(unanswered: Int = 0, strays: Int = 0) {
            (self.unanswered, self.strays) = (unanswered, strays)
        }
    }

    /// The largest datagram that the kernel uses in a multi-part reply.
    private static let datagramBytes = 32_768
    /// The buffer for each reply of a batch: four times what most replies need. A route with many next hops needs more,
    /// and is queried on its own.
    private static let strideBytes = 512
    /// The most replies in a batch.
    private static let maximumAnswers = 64
    /// A limit for an endless reply: some hundred thousand interfaces.
    private static let maximumDatagrams = 16_384

    private let socket: NetlinkSocket
    private let buffer: UnsafeMutableRawBufferPointer
    /// The buffer for the replies of a batch; `several` has the length and sender of each.
    private let answers: UnsafeMutableRawBufferPointer
    private let several = UnsafeMutableBufferPointer<waymark_netlink_received>.allocate(
        capacity: Int(waymark_netlink_batch))
    private let port: UInt32
    private var sequence: UInt32 = 0
    /// The errors since the socket was opened.
    public private(set) var counters = Counters()

    /// Sends queries over this socket, which must have no other use.
    public init(_ socket: consuming NetlinkSocket) {
        // Announcements, which the unit's configuration may have subscribed to, would be mixed with the replies.
        socket.leaveAll()
        // From Linux 4.20 the kernel filters addresses by interface. An older kernel sends all of them, and the caller
        // filters.
        socket.set(SOL_NETLINK, NETLINK_GET_STRICT_CHK, 1)
        port = socket.port
        self.socket = socket
        several.initialize(repeating: waymark_netlink_received())
        buffer = .allocate(byteCount: Self.datagramBytes, alignment: MemoryLayout<nlmsghdr>.alignment)
        answers = .allocate(
            byteCount: Self.strideBytes * Self.maximumAnswers, alignment: MemoryLayout<nlmsghdr>.alignment)
    }

    deinit {
        buffer.deallocate()
        answers.deallocate()
        several.deallocate()
    }

    /// The network namespace of the socket; nil if the kernel does not report it.
    public var network: NetworkIdentity? { socket.network }

    /// Sends a request and passes the datagrams of its reply to `handle`. After an incomplete reply the socket is
    /// emptied, so that the rest is not mistaken for the reply to the next request.
    public func perform(_ request: UnsafeMutableRawBufferPointer, _ handle: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        sequence &+= 1
        let isAnswered = send(request) && receive(handle)
        if !isAnswered {
            counters.unanswered += 1
            empty()
        }
        return isAnswered
    }

    /// Sends all requests in one datagram. The kernel replies to all of them before the send returns.
    public func performAll(_ requests: UnsafeMutableRawBufferPointer, _ handle: (Int, UnsafeRawBufferPointer) -> Void) {
        let first = sequence &+ 1
        var start = 0
        while start + MemoryLayout<nlmsghdr>.size <= requests.count {
            let length = Int(requests.loadUnaligned(fromByteOffset: start, as: UInt32.self))
            guard length >= MemoryLayout<nlmsghdr>.size, length <= requests.count - start else { break }
            sequence &+= 1
            stamp(UnsafeMutableRawBufferPointer(rebasing: requests[start..<start + length]))
            start += (length + 3) & ~3
        }
        let count = Int(sequence &- first &+ 1)
        guard count > 0, count <= Self.maximumAnswers, transmit(requests) else { return }
        receive(count, from: first, handle)
    }

    /// Receives the replies to `count` requests, the first of which has the sequence number `first`.
    private func receive(_ count: Int, from first: UInt32, _ handle: (Int, UnsafeRawBufferPointer) -> Void) {
        var taken = 0
        while taken < count {
            let start = taken * Self.strideBytes
            let received = waymark_netlink_receive(
                socket.number, answers.baseAddress.map { $0 + start }, Self.strideBytes, several.baseAddress,
                UInt32(min(count - taken, several.count)))
            if received < 0, errno == EINTR { continue }
            guard received > 0 else {
                counters.unanswered += count - taken
                return empty()
            }
            for index in 0..<Int(received) {
                let start = (taken + index) * Self.strideBytes
                let length = min(Int(several[index].length), Self.strideBytes)
                let datagram = UnsafeRawBufferPointer(rebasing: answers[start..<start + length])
                guard several[index].sender == 0, length >= MemoryLayout<nlmsghdr>.size else {
                    counters.strays += 1
                    continue
                }
                let header = datagram.load(as: nlmsghdr.self)
                let place = Int(header.nlmsg_seq &- first)
                guard place < count, header.nlmsg_pid == port else {
                    counters.strays += 1
                    continue
                }
                if several[index].is_truncated == 0 { handle(place, datagram) }
            }
            taken += Int(received)
        }
    }

    private func send(_ request: UnsafeMutableRawBufferPointer) -> Bool {
        guard request.count >= MemoryLayout<nlmsghdr>.size else { return false }
        stamp(request)
        return transmit(request)
    }

    /// Writes the sequence number and the sender into a request's header.
    private func stamp(_ request: UnsafeMutableRawBufferPointer) {
        guard let header = request.baseAddress?.assumingMemoryBound(to: nlmsghdr.self) else { return }
        header.pointee.nlmsg_seq = sequence
        header.pointee.nlmsg_pid = port
    }

    private func transmit(_ request: UnsafeMutableRawBufferPointer) -> Bool {
        var kernel = sockaddr_nl()
        kernel.nl_family = sa_family_t(AF_NETLINK)
        let length = socklen_t(MemoryLayout<sockaddr_nl>.size)
        let sent = withUnsafePointer(to: &kernel) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket.number, request.baseAddress, request.count, Int32(MSG_DONTWAIT), $0, length)
            }
        }
        return sent == request.count
    }

    private func receive(_ handle: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        for _ in 0..<Self.maximumDatagrams {
            guard let received = next() else { return false }
            let datagram = UnsafeRawBufferPointer(rebasing: buffer[..<Int(received.length)])
            guard isAnswer(datagram, from: received.sender) else {
                counters.strays += 1
                continue
            }
            if received.is_truncated != 0 { return false }
            if handle(datagram) { return true }
        }
        return false
    }

    /// Whether a datagram belongs to the current request. All messages of one datagram belong to the same reply.
    private func isAnswer(_ datagram: UnsafeRawBufferPointer, from sender: UInt32) -> Bool {
        guard sender == 0, datagram.count >= MemoryLayout<nlmsghdr>.size else { return false }
        let header = datagram.load(as: nlmsghdr.self)
        return header.nlmsg_seq == sequence && header.nlmsg_pid == port
    }

    /// The next datagram; nil if there is none, or if the kernel dropped a part of the reply for lack of room.
    private func next() -> waymark_netlink_received? {
        var received = waymark_netlink_received()
        while true {
            let count = waymark_netlink_receive(socket.number, buffer.baseAddress, buffer.count, &received, 1)
            if count == 1 { return received }
            if count == 0 || errno != EINTR { return nil }
        }
    }

    private func empty() {
        // The first failure may be an overrun, which is reported once; after the second failure the socket is empty.
        var (failures, datagrams) = (0, 0)
        while failures < 2, datagrams < Self.maximumDatagrams {
            if next() == nil { failures += 1 } else { datagrams += 1 }
        }
    }
}
