import CNetlink
import Glibc
import Platform

/// A socket that asks the kernel, one question at a time, and never waits for an answer: rtnetlink has given it, or begun
/// to, when sending returns.
///
/// What it may stand still for is a lock of the kernel's own, which somebody holds who changes interfaces: questions about
/// interfaces took up to a tenth of a second while five hundred pairs of them were removed at once.
public final class QuerySocket: KernelExchange {
    /// What has gone wrong since it was made.
    public struct Counters: Equatable, Sendable {
        /// Requests that were not answered to the end.
        public var unanswered = 0
        /// Datagrams that answered something else, or came from somebody else.
        public var strays = 0

        /// So many of each.
        public init(unanswered: Int = 0, strays: Int = 0) {
            (self.unanswered, self.strays) = (unanswered, strays)
        }
    }

    /// As much as the kernel puts into one datagram of a long answer.
    private static let datagramBytes = 32_768
    /// How much room is for each of several answers that come at once: four times what most take. A route of many ways needs
    /// more, and is asked for by itself.
    private static let strideBytes = 512
    /// How many answers there is room for at once.
    private static let maximumAnswers = 64
    /// A bound against an answer without an end: some hundred thousand interfaces.
    private static let maximumDatagrams = 16_384

    private let socket: NetlinkSocket
    private let buffer: UnsafeMutableRawBufferPointer
    /// Several answers that came at once, and what is known of each.
    private let answers: UnsafeMutableRawBufferPointer
    private let several = UnsafeMutableBufferPointer<waymark_netlink_received>.allocate(
        capacity: Int(waymark_netlink_batch))
    private let port: UInt32
    private var sequence: UInt32 = 0
    /// What has gone wrong.
    public private(set) var counters = Counters()

    /// Asks over this socket, which is for nothing else.
    public init(_ socket: consuming NetlinkSocket) {
        // What announces itself on it, by the unit's will, would only be in the way.
        socket.leaveAll()
        // Linux 4.20: the kernel picks the addresses of one interface. An older one tells all, which is looked through.
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

    /// The network it asks about; nil where the kernel does not tell.
    public var network: NetworkIdentity? { socket.network }

    /// Sends a request and hands on what answers it. After an answer that is not whole the socket is emptied, so that the
    /// next question is not taken for this one.
    public func perform(_ request: UnsafeMutableRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        sequence &+= 1
        let isAnswered = send(request) && receive(take)
        if !isAnswered {
            counters.unanswered += 1
            empty()
        }
        return isAnswered
    }

    /// Sends all requests in one datagram. The kernel answers one after another before that returns.
    public func performAll(_ requests: UnsafeMutableRawBufferPointer, _ take: (Int, UnsafeRawBufferPointer) -> Void) {
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
        receive(count, from: first, take)
    }

    /// Takes the answers to so many requests, of which this is the first one's number.
    private func receive(_ count: Int, from first: UInt32, _ take: (Int, UnsafeRawBufferPointer) -> Void) {
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
                if several[index].is_truncated == 0 { take(place, datagram) }
            }
            taken += Int(received)
        }
    }

    private func send(_ request: UnsafeMutableRawBufferPointer) -> Bool {
        guard request.count >= MemoryLayout<nlmsghdr>.size else { return false }
        stamp(request)
        return transmit(request)
    }

    /// Writes the number and the sender into a request's header.
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

    private func receive(_ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        for _ in 0..<Self.maximumDatagrams {
            guard let received = next() else { return false }
            let datagram = UnsafeRawBufferPointer(rebasing: buffer[..<Int(received.length)])
            guard isAnswer(datagram, from: received.sender) else {
                counters.strays += 1
                continue
            }
            if received.is_truncated != 0 { return false }
            if take(datagram) { return true }
        }
        return false
    }

    /// A datagram holds messages of one answer only.
    private func isAnswer(_ datagram: UnsafeRawBufferPointer, from sender: UInt32) -> Bool {
        guard sender == 0, datagram.count >= MemoryLayout<nlmsghdr>.size else { return false }
        let header = datagram.load(as: nlmsghdr.self)
        return header.nlmsg_seq == sequence && header.nlmsg_pid == port
    }

    /// The next datagram; nil where there is none, or the kernel had more to say than there was room for.
    private func next() -> waymark_netlink_received? {
        var received = waymark_netlink_received()
        while true {
            let count = waymark_netlink_receive(socket.number, buffer.baseAddress, buffer.count, &received, 1)
            if count == 1 { return received }
            if count == 0 || errno != EINTR { return nil }
        }
    }

    private func empty() {
        // The first failure may be an overrun, which is told once; after the second nothing is left.
        var (failures, datagrams) = (0, 0)
        while failures < 2, datagrams < Self.maximumDatagrams {
            if next() == nil { failures += 1 } else { datagrams += 1 }
        }
    }
}
