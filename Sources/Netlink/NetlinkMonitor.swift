import Platform
import Reachability

/// Receives the kernel's announcements about routing on the daemon's event loop.
@DaemonActor
public final class NetlinkMonitor {
    private var socket: EventSocket
    private let handler: @DaemonActor (NetworkEvents) -> Void
    /// Runs before the sources of clients, so that the next report to a client is up to date.
    private var source: UrgentIOSource?

    /// Listens on this socket. The handler receives the events on the loop; it may own the monitor, and may release the
    /// last reference to it.
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

    // The source is cancelled before the socket is closed, on the loop's thread.
    isolated deinit {
        source?.cancel()
    }

    /// Stops listening. A handed-over socket stays open in the service manager, which would start the daemon again if
    /// anything were queued in it.
    public func stop() {
        source?.cancel()
        source = nil
        socket.leave()
    }

    /// The network namespace of the socket; nil if the kernel does not report it.
    public var network: NetworkIdentity? { socket.network }
    /// How many bytes the kernel buffers before it drops announcements; see `NetlinkSocket.receiveBufferBytes`.
    public var receiveBufferBytes: Int { socket.receiveBufferBytes }
    /// Counters since the socket was opened.
    public var counters: EventSocket.Counters { socket.counters }

    /// Whether all changes of neighbours are received, instead of failures only.
    public var watchesAllNeighbours: Bool {
        get { socket.watchesAllNeighbours }
        set { socket.watchesAllNeighbours = newValue }
    }

    /// Whether announcements stay queued in the kernel for now. An overrun is reported nevertheless. Setting this to
    /// false reports the queued announcements at once, before the setter returns.
    public var isHeld = false {
        didSet {
            guard isHeld != oldValue else { return }
            // Even without interest epoll(7) reports errors, and an overrun is an error.
            source?.interest = isHeld ? [] : .readable
            if !isHeld { iterate() }
        }
    }

    /// Receives the queued announcements without the handler, up to a bound. The rest is passed to the handler in the
    /// next iteration of the loop.
    public func drain() -> NetworkEvents { socket.drain() }

    private func iterate() {
        let events = socket.drain()
        if !events.isEmpty { handler(events) }
    }
}
