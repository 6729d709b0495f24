import CNetlink
import Glibc
import Platform
import Reachability

/// A socket that hears what the kernel announces about routing: that something changed, and never what the state now is.
public struct EventSocket: ~Copyable {
    /// What was heard since it was made.
    public struct Counters: Equatable, Sendable {
        /// Announcements, and their bytes.
        public var messages = 0, bytes = 0
        /// How often the kernel had more to announce than the socket could hold, or than fits into the buffer.
        public var overruns = 0
        /// Datagrams of somebody else than the kernel, which are not listened to.
        public var strays = 0

        /// Nothing yet.
        public init() {}
    }

    private static let groups = [
        RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
        RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE, RTNLGRP_NEIGH,
        // Whether routes through interfaces without a carrier are passed over, ignore_routes_with_linkdown.
        RTNLGRP_IPV4_NETCONF, RTNLGRP_IPV6_NETCONF,
    ]
    /// How many batches are taken in a row, so that a storm does not keep others from their turn.
    private static let batchesPerIteration = 64
    /// More batches than a socket's buffer holds: those of 64 MiB.
    private static let batchesOfBuffer = 16_384

    private let socket: NetlinkSocket
    private let batch = MessageBatch()
    /// Whether the kernel has dropped something and not been seen to begin anew: until the socket has been empty it adds
    /// nothing, and drops without a word (netlink_broadcast_deliver of net/netlink/af_netlink.c).
    private var isCongested = false
    /// What was heard.
    public private(set) var counters = Counters()

    /// Listens on this socket, which is for nothing else, with room for a mebibyte of announcements where that may be
    /// had. What has come before is not told: whoever listens from now on looks at the state from now on.
    public init(_ socket: consuming NetlinkSocket, receiveBufferBytes: Int32 = 1 << 20) throws(NetlinkError) {
        self.socket = socket
        self.socket.setReceiveBuffer(atLeast: receiveBufferBytes)
        filterNeighbours()
        for group in Self.groups { try self.socket.join(group) }
        do throws(NetlinkError) {
            try self.socket.join(RTNLGRP_NEXTHOP)
        } catch {
            // Before Linux 5.3 there are no nexthop objects to hear of.
            Log.debug("\(error)")
        }
        // One that was handed over may be full, and who had it may have been told so already: the kernel goes on dropping
        // without a word until it was empty.
        forget()
    }

    /// Its descriptor.
    public var number: Int32 { socket.number }
    /// The network it hears of; nil where the kernel does not tell.
    public var network: NetworkIdentity? { socket.network }
    /// How many bytes the kernel keeps before it drops announcements; see `NetlinkSocket.receiveBufferBytes`.
    public var receiveBufferBytes: Int { socket.receiveBufferBytes }

    /// Whether all that happens to neighbours is told, and not only that one has FAILED.
    public var watchesAllNeighbours = false {
        didSet { if watchesAllNeighbours != oldValue { filterNeighbours() } }
    }

    private func filterNeighbours() {
        let program = watchesAllNeighbours ? NeighbourFilter.all : NeighbourFilter.failuresOnly
        if !NeighbourFilter.attach(program, to: socket.number) {
            // Hearing too much costs time, hearing too little is wrong.
            Log.debug("announcements are not filtered: \(SystemError.text(errno))")
            socket.set(SOL_SOCKET, SO_DETACH_FILTER, 0)
        }
    }

    /// Takes what has come, up to a bound: what lies beyond it stays for the next time. Each datagram of the kernel's is
    /// also shown to `inspect`, for the time of the call.
    ///
    /// An overrun is told by the call that meets it, and where that leaves something, once more by the next one, which
    /// takes all there is: only then does the kernel drop nothing any more.
    public mutating func drain(_ inspect: (UnsafeRawBufferPointer) -> Void = { _ in }) -> NetworkEvents {
        var events = NetworkEvents()
        // Whatever was dropped since the last call was in nothing that it told.
        events.overrun = isCongested
        for _ in 0..<(isCongested ? Self.batchesOfBuffer : Self.batchesPerIteration) {
            switch batch.receive(from: socket.number) {
            case .messages(let count):
                for index in 0..<count { receive(batch[index], into: &events, inspect) }
                guard count < MessageBatch.capacity else { continue }
                // What ended the batch early is that nothing is left. Had it been an overrun, the kernel tells of that
                // with the next call, and wakes for it.
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

    /// Hears no more, and forgets what has come: who else holds the socket is not woken by it from now on.
    public mutating func leave() {
        socket.leaveAll()
        forget()
    }

    /// Empties the socket, which the kernel then fills again.
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
