import CNetlink
import Glibc
import Platform
import Reachability

/// A socket that receives the kernel's announcements about routing. They say that something has changed, but are never
/// used as the new state.
public struct EventSocket: ~Copyable {
    /// Counters since the socket was opened.
    public struct Counters: Equatable, Sendable {
        /// Announcements, and their bytes.
        public var messages = 0, bytes = 0
        /// How often the kernel had more to announce than the socket could hold, or than fits into the buffer.
        public var overruns = 0
        /// Datagrams from other senders than the kernel, which are ignored.
        public var strays = 0

        /// All zero.
        public init() {}
    }

    private static let groups = [
        RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
        RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE, RTNLGRP_NEIGH,
        // Whether routes through interfaces without a carrier are skipped, ignore_routes_with_linkdown.
        RTNLGRP_IPV4_NETCONF, RTNLGRP_IPV6_NETCONF,
    ]
    /// The most batches that are received in a row, so that a storm of announcements does not block other work.
    private static let batchesPerIteration = 64
    /// More batches than fit into a socket's buffer: those of 64 MiB.
    private static let batchesOfBuffer = 16_384

    private let socket: NetlinkSocket
    private let batch = MessageBatch()
    /// Whether the kernel has dropped announcements and may still be dropping: after an overflow it drops further
    /// announcements without a report until the socket is empty (netlink_broadcast_deliver of
    /// net/netlink/af_netlink.c).
    private var isCongested = false
    /// Counters since the socket was opened.
    public private(set) var counters = Counters()

    /// Listens on this socket, which must have no other use, with a receive buffer of one mebibyte if possible. Earlier
    /// announcements are discarded: the caller queries the whole state after this.
    public init(_ socket: consuming NetlinkSocket, receiveBufferBytes: Int32 = 1 << 20) throws(NetlinkError) {
        self.socket = socket
        self.socket.setReceiveBuffer(atLeast: receiveBufferBytes)
        filterNeighbours()
        for group in Self.groups { try self.socket.join(group) }
        do throws(NetlinkError) {
            try self.socket.join(RTNLGRP_NEXTHOP)
        } catch {
            // Linux before 5.3 has no nexthop objects, so it cannot announce them.
            Log.debug("\(error)")
        }
        // A socket that was handed over may be full, and its previous owner may already have received the overflow
        // report. Until the socket is empty the kernel keeps dropping announcements without a further report.
        forget()
    }

    /// The descriptor.
    public var number: Int32 { socket.number }
    /// The network namespace of the socket; nil if the kernel does not report it.
    public var network: NetworkIdentity? { socket.network }
    /// How many bytes the kernel buffers before it drops announcements; see `NetlinkSocket.receiveBufferBytes`.
    public var receiveBufferBytes: Int { socket.receiveBufferBytes }

    /// Whether all changes of neighbours are received, instead of failures only.
    public var watchesAllNeighbours = false {
        didSet { if watchesAllNeighbours != oldValue { filterNeighbours() } }
    }

    private func filterNeighbours() {
        let program = watchesAllNeighbours ? NeighbourFilter.all : NeighbourFilter.failuresOnly
        if !NeighbourFilter.attach(program, to: socket.number) {
            // Receiving too much costs time; receiving too little would be wrong.
            Log.debug("announcements are not filtered: \(SystemError.text(errno))")
            socket.set(SOL_SOCKET, SO_DETACH_FILTER, 0)
        }
    }

    /// Receives the queued announcements, up to a bound; the rest stays queued for the next call. Each datagram of the
    /// kernel is also passed to `inspect`, and is valid only during that call.
    ///
    /// An overrun is reported by the call that detects it. If that call leaves something queued, the next call reports
    /// the overrun again and empties the socket, because only then does the kernel stop dropping.
    public mutating func drain(_ inspect: (UnsafeRawBufferPointer) -> Void = { _ in }) -> NetworkEvents {
        var events = NetworkEvents()
        // Announcements dropped since the last call were in no result.
        events.overrun = isCongested
        for _ in 0..<(isCongested ? Self.batchesOfBuffer : Self.batchesPerIteration) {
            switch batch.receive(from: socket.number) {
            case .messages(let count):
                for index in 0..<count { receive(batch[index], into: &events, inspect) }
                guard count < MessageBatch.capacity else { continue }
                // The batch is short because the socket is empty. An overrun at this point is reported with the next
                // call, and wakes the caller for it.
                isCongested = false
                return events
            case .nothing:
                isCongested = false
                return events
            case .overrun:
                counters.overruns += 1
                isCongested = true
                events.overrun = true
            }
        }
        return events
    }

    /// Stops listening and discards the queued announcements, so that another holder of the socket is not woken by it.
    public mutating func leave() {
        socket.leaveAll()
        forget()
    }

    /// Empties the socket, so that the kernel queues announcements again.
    private func forget() {
        for _ in 0..<Self.batchesOfBuffer {
            if case .nothing = batch.receive(from: socket.number) { return }
        }
    }

    private mutating func receive(
        _ datagram: MessageBatch.Datagram, into events: inout NetworkEvents,
        _ inspect: (UnsafeRawBufferPointer) -> Void
    ) {
        guard datagram.sender == 0 else {
            counters.strays += 1
            return
        }
        inspect(datagram.bytes)
        let before = events.count
        events.append(datagram.bytes)
        counters.messages += events.count - before
        counters.bytes += datagram.bytes.count
        if datagram.isTruncated {
            counters.overruns += 1
            events.overrun = true
        }
    }
}
