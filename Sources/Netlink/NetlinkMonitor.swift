import Platform
import Reachability

/// Hears on the daemon's loop what the kernel announces about routing.
@DaemonActor
public final class NetlinkMonitor {
    private var socket: EventSocket
    private let handler: @DaemonActor (NetworkEvents) -> Void
    /// Before clients: what they are told next is to be true.
    private var source: UrgentIOSource?

    /// Listens on this socket; what it hears goes to the handler, on the loop. The handler may hold the monitor, and drop
    /// the last reference to it.
    public init(
        socket: consuming EventSocket, handler: @escaping @DaemonActor (NetworkEvents) -> Void
    ) {
        let number = socket.number
        self.socket = socket
        self.handler = handler
        source = UrgentIOSource(number, .readable) { [weak self] _ in self?.iterate() }
    }

    /// Listens on this socket.
    public convenience init(
        socket: consuming NetlinkSocket, handler: @escaping @DaemonActor (NetworkEvents) -> Void
    ) throws(NetlinkError) {
        self.init(socket: try EventSocket(socket), handler: handler)
    }

    // Before the socket is closed, and on the loop's thread.
    isolated deinit {
        source?.cancel()
    }

    /// Hears no more. A socket that was handed over lives on with who did: systemd starts the daemon again when something
    /// waits in it.
    public func stop() {
        source?.cancel()
        source = nil
        socket.leave()
    }

    /// The network it hears of; nil where the kernel does not tell.
    public var network: NetworkIdentity? { socket.network }
    /// How many bytes the kernel keeps before it drops announcements; see `NetlinkSocket.receiveBufferBytes`.
    public var receiveBufferBytes: Int { socket.receiveBufferBytes }
    /// What was heard.
    public var counters: EventSocket.Counters { socket.counters }

    /// Whether all that happens to neighbours is told, and not only that one has FAILED.
    public var watchesAllNeighbours: Bool {
        get { socket.watchesAllNeighbours }
        set { socket.watchesAllNeighbours = newValue }
    }

    /// Whether announcements are left with the kernel for now. An overrun is told all the same. When it ends, what has
    /// come meanwhile is told at once, before the setter returns.
    public var isHeld = false {
        didSet {
            guard isHeld != oldValue else { return }
            // Without interest epoll(7) still tells of errors, and an overrun is one.
            source?.interest = isHeld ? [] : .readable
            if !isHeld { iterate() }
        }
    }

    /// Takes what has come without telling the handler, up to a bound: what lies beyond it is told in the next turn of
    /// the loop.
    public func drain() -> NetworkEvents { socket.drain() }

    private func iterate() {
        let events = socket.drain()
        if !events.isEmpty { handler(events) }
    }
}
