import CNetlink
import Glibc
import Platform
import Reachability

/// Hears what the kernel announces about routing, on the daemon's loop: that something changed, and never what the state
/// now is.
@DaemonActor
public final class NetlinkMonitor {
    /// What was heard since it was made.
    public struct Counters: Equatable, Sendable {
        /// Announcements, and their bytes.
        public var messages = 0, bytes = 0
        /// How often the kernel had more to announce than the socket could hold, or than fits into the buffer.
        public var overruns = 0
        /// Datagrams of somebody else than the kernel, which are not listened to.
        public var strays = 0
    }

    private static let groups: [Int] = [
        Int(RTNLGRP_LINK.rawValue), Int(RTNLGRP_IPV4_IFADDR.rawValue), Int(RTNLGRP_IPV6_IFADDR.rawValue),
        Int(RTNLGRP_IPV4_ROUTE.rawValue),
        Int(RTNLGRP_IPV6_ROUTE.rawValue), Int(RTNLGRP_IPV4_RULE.rawValue), Int(RTNLGRP_IPV6_RULE.rawValue),
        Int(RTNLGRP_NEIGH.rawValue),
    ]
    /// Before clients: what they are told next is to be true.
    private static let priority: Int64 = -10
    /// How many batches one turn of the loop takes, so that a storm does not keep others from theirs.
    private static let batchesPerTurn = 64

    private let socket: NetlinkSocket
    private let batch = MessageBatch()
    private let handler: @DaemonActor (NetworkEvents) -> Void
    private var source: IOSource?
    /// Whether the kernel has dropped something and will say so only once the socket has been empty.
    private var isCongested = false
    /// What was heard.
    public private(set) var counters = Counters()

    /// Listens on this socket, which is for nothing else; what it hears goes to the handler, on the loop.
    public init(
        socket: consuming NetlinkSocket, handler: @escaping @DaemonActor (NetworkEvents) -> Void
    ) throws(NetlinkMonitorError) {
        self.socket = socket
        self.handler = handler
        do throws(NetlinkError) { try listen() } catch { throw .netlink(error) }
        do throws(SystemError) {
            source = try IOSource(self.socket.number, .readable, priority: Self.priority) { [weak self] _ in
                self?.turn()
            }
        } catch {
            throw .system(error)
        }
    }

    // Before the socket is closed, and on the loop's thread.
    isolated deinit {
        source?.cancel()
    }

    private func listen() throws(NetlinkError) {
        socket.growReceiveBuffer(to: 1 << 20)
        filterNeighbours()
        for group in Self.groups { try socket.join(group) }
        // Linux 5.3 and later. Before it there are no nexthop objects either.
        do throws(NetlinkError) { try socket.join(Int(RTNLGRP_NEXTHOP.rawValue)) } catch {
            Log.debug("\(error)")
        }
    }

    /// The network namespace it hears of; see `NetlinkSocket.networkNamespace`.
    public var networkNamespace: UInt64? { socket.networkNamespace }

    /// How many bytes the kernel keeps before it drops announcements.
    public var receiveBufferBytes: Int { socket.receiveBufferBytes }

    /// Whether announcements are left with the kernel for now. An overrun is told all the same. When it ends, what has
    /// come meanwhile is told at once.
    public var isHeld = false {
        didSet {
            guard isHeld != oldValue else { return }
            // Without interest epoll(7) still tells of errors, and an overrun is one.
            source?.interest = isHeld ? [] : .readable
            if !isHeld { turn() }
        }
    }

    /// Whether all that happens to neighbours is told, and not only that one has FAILED.
    public var watchesAllNeighbours = false {
        didSet { if watchesAllNeighbours != oldValue { filterNeighbours() } }
    }

    private func filterNeighbours() {
        let program = watchesAllNeighbours ? NeighbourFilter.all : NeighbourFilter.failuresOnly
        if !NeighbourFilter.attach(program, to: socket.number) {
            // Hearing too much costs time, hearing too little is wrong.
            Log.debug("announcements are not filtered: \(SystemError.text(errno))")
            _ = socket.set(SOL_SOCKET, SO_DETACH_FILTER, 0)
        }
    }

    private func turn() {
        let events = drain()
        if !events.isEmpty { handler(events) }
    }

    /// Takes what has come, up to a bound: what lies beyond it is told in the next turn of the loop.
    public func drain() -> NetworkEvents {
        var events = NetworkEvents()
        for _ in 0..<Self.batchesPerTurn {
            switch batch.receive(from: socket.number) {
            case .messages(let count):
                for index in 0..<count { take(index, into: &events) }
            case .nothing:
                isCongested = false
                return events
            case .overrun:
                counters.overruns += 1
                isCongested = true
                events.overrun = true
            }
        }
        // As long as the socket has not been empty since an overrun, the kernel drops without a word.
        if isCongested { events.overrun = true }
        return events
    }

    private func take(_ index: Int, into events: inout NetworkEvents) {
        let message = batch[index]
        guard message.sender == 0 else {
            counters.strays += 1
            return
        }
        let before = events.count
        events.take(message.bytes)
        counters.messages += events.count - before
        counters.bytes += message.bytes.count
        if message.isTruncated {
            counters.overruns += 1
            events.overrun = true
        }
    }
}

/// Why announcements cannot be listened to.
public enum NetlinkMonitorError: Error, Equatable, CustomStringConvertible {
    case netlink(NetlinkError)
    case system(SystemError)

    /// What was tried, and why it failed.
    public var description: String {
        switch self {
        case .netlink(let error): error.description
        case .system(let error): error.description
        }
    }
}
