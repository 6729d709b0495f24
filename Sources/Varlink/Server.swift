import CLinux
import Durations
import Glibc
import Platform

/// Accepts connections on Unix sockets and passes their calls to a service.
@DaemonActor
public final class Server {
    /// The limits for clients.
    public private(set) var limits: ServerLimits
    /// The counters.
    public private(set) var statistics = ServerStatistics()
    /// Assigns connections to quotas. Without it each user id has a quota of its own.
    public weak var sharing: (any ConnectionSharing)?

    let deadlines: DeadlineTimer
    private let service: Service
    let clock: any TimeSource
    private let refusalName: String
    private var listeners: [Listener] = []
    private var connections: [ObjectIdentifier: ServerConnection] = [:]
    private var counts = ConnectionCounts()
    private var refused: [ObjectIdentifier: RefusedConnection] = [:]
    private var spare = SpareDescriptor()
    /// accept4(2); tests replace it to simulate failures.
    var acceptConnection: (Int32) throws(SystemError) -> OwnedDescriptor? = { listener throws(SystemError) in
        try UnixSocket.accept(listener)
    }
    /// The receive buffer of all connections. Its content is consumed before the next read.
    private var scratch = [UInt8](repeating: 0, count: 64 << 10)

    /// The most connections accepted before the loop handles other sources.
    private static let acceptedAtOnce = 64
    private static let acceptPause: UInt64 = 1_000_000_000
    private static let refusalTime: UInt64 = 1_000_000_000

    /// A server without sockets.
    /// - Parameter tooManyConnections: The full name of the error that a connection beyond the limits receives.
    public init(
        _ service: Service, limits: ServerLimits = ServerLimits(), tooManyConnections: String,
        clock: any TimeSource = SystemClock()
    ) throws(SystemError) {
        self.service = service
        self.limits = limits
        self.clock = clock
        refusalName = tooManyConnections
        let shortest = min(limits.unfinishedMessage, limits.lagging)
        deadlines = try DeadlineTimer(accuracy: min(.seconds(1), shortest / 10), clock: clock)
        spare.restore()
    }

    /// Accepts connections on a listening socket. The name identifies the socket of a connection.
    public func listen(on socket: consuming OwnedDescriptor, name: String = "") throws(SystemError) {
        // A passed socket may be blocking; then an accept without a pending connection would block the loop.
        let number = socket.number
        let flags = try retrying("read a descriptor's flags") { fcntl(number, F_GETFL) }
        try retrying("set a descriptor's flags") { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
        let listener = try Listener(socket, name: name) { [weak self] in self?.accept(from: $0) }
        listeners.append(listener)
    }

    /// Adopts a non-blocking connection that was accepted elsewhere or earlier.
    public func adopt(_ socket: consuming OwnedDescriptor, name: String = "") {
        let peer: PeerIdentity
        do throws(SystemError) { peer = try PeerIdentity(socket: socket.number) } catch {
            // A peer that cannot be identified is not served.
            count(\.[closed: .systemError])
            return
        }
        // Determined once, because a process that ends meanwhile has another quota afterwards.
        let share = share(of: peer)
        switch counts.refusal(of: share, under: limits) {
        case .inAll:
            count(\.refusedInAll)
            return refuse(socket, "Too many programs are connected. Try again later.")
        case .forUser:
            count(\.refusedForUser)
            let holder = if case .unit = share { "service" } else { "user" }
            return refuse(socket, "This \(holder) has too many connections open. Close some of them.")
        case nil: break
        }
        do throws(SystemError) {
            let connection = try ServerConnection(socket, peer: peer, listenerName: name, server: self)
            admit(connection, as: share)
            count(\.acceptedConnections)
        } catch {
            count(\.[closed: .systemError])
        }
    }

    /// Adopts a connection of an earlier process. It does nothing until `ServerConnection.goOn`.
    /// - Parameter process: The pidfd that was stored with it, if any.
    public func resume(
        _ socket: consuming OwnedDescriptor, process: consuming OwnedDescriptor?, _ handed: HandedConnection
    ) throws -> ServerConnection {
        let peer = try PeerIdentity(socket: socket.number, handedProcess: process)
        let connection = try ServerConnection(socket, peer: peer, continuing: handed, server: self)
        admit(connection, as: share(of: peer))
        return connection
    }

    private func share(of peer: PeerIdentity) -> ConnectionShare {
        sharing?.share(of: peer) ?? (peer.userID == limits.unlimitedUser ? .root : .account(peer.userID))
    }

    /// How a call is repeated that was in progress when an earlier process ended.
    func repetition(of request: CallRequest) -> CallRepetition { service.repetition(of: request) }

    /// How calls of a method are repeated, if this release knows their parameters.
    func declaredRepetition(of request: CallRequest) -> CallRepetition { service.declaredRepetition(of: request) }

    /// A request without the parameters that are ignored; and its whole message without the NUL, if the next process may need
    /// it: if this release ignores one of its parameters, and calls of its method are repeated.
    func retained(of request: CallRequest) -> (request: CallRequest, wholeMessage: [UInt8]?) {
        guard let known = service.knownRequest(request) else { return (request, nil) }
        guard service.declaredRepetition(of: request) != .never, service.unknownParameter(of: request) != nil else {
            return (known, nil)
        }
        return (known, Array(request.encoded.dropLast()))
    }

    private func admit(_ connection: ServerConnection, as share: ConnectionShare) {
        connections[ObjectIdentifier(connection)] = connection
        connection.share = share
        counts.add(share)
        statistics.openConnections = connections.count
    }

    /// Counts the connections of a user again, whose quota may have changed since they were made. No connection is
    /// closed.
    public func reviewShares(of user: UInt32) {
        for connection in connections.values where connection.peer.userID == user {
            counts.remove(connection.share)
            connection.share = share(of: connection.peer)
            counts.add(connection.share)
        }
    }

    /// The open connections, to be handed over to the next process.
    public var openConnections: [ServerConnection] { Array(connections.values) }

    /// Stops accepting connections, reading, and starting calls. Calls in progress continue.
    public func prepareToLeave() {
        stopListening()
        for connection in Array(connections.values) { connection.prepareToLeave() }
    }

    /// Changes the limits of connections. Open connections remain.
    public func setMaximumConnections(_ count: Int, perUser: Int) {
        limits.maximumConnections = count
        limits.maximumConnectionsPerUser = perUser
    }

    /// Stops accepting connections. Open connections remain.
    public func stopListening() {
        for listener in listeners {
            listener.cancel()
            deadlines.remove(listener)
        }
        listeners = []
    }

    /// Closes all sockets and connections.
    public func stop() {
        stopListening()
        for connection in Array(connections.values) { connection.close(.serverStopped) }
        for connection in refused.values { connection.cancel() }
        refused = [:]
        deadlines.cancel()
    }

    // On the loop's thread: closes the connections and removes their sources from the loop, even if a connection still
    // has another owner.
    isolated deinit {
        for connection in connections.values { connection.disconnect() }
    }

    private func accept(from listener: Listener) {
        for _ in 0..<Self.acceptedAtOnce {
            do throws(SystemError) {
                guard try acceptOne(from: listener) else { return }
            } catch {
                // For any error the connection remains in the queue, so without a pause the loop would spin.
                count(\.acceptPauses)
                listener.pause(until: now.addingClamped(Self.acceptPause))
                return deadlines.update(listener)
            }
        }
    }

    /// Accepts the next connection; false if none is pending.
    private func acceptOne(from listener: Listener) throws(SystemError) -> Bool {
        do throws(SystemError) {
            guard let socket = try acceptConnection(listener.descriptor.number) else { return false }
            adopt(socket, name: listener.name)
            return true
        } catch {
            guard error.code == EMFILE, try refuseWithSpare(listener) else { throw error }
            return true
        }
    }

    /// Accepts a connection with the spare descriptor, only to refuse it with a reason; false if that is impossible.
    private func refuseWithSpare(_ listener: Listener) throws(SystemError) -> Bool {
        guard spare.isAvailable else {
            spare.restore()
            return spare.isAvailable
        }
        spare.giveUp()
        // Runs after the connection below is closed, which frees the descriptor that is used here.
        defer { spare.restore() }
        guard let socket = try acceptConnection(listener.descriptor.number) else { return true }
        count(\.refusedForDescriptors)
        RefusedConnection.notify(refusal("Too many programs are connected. Try again later."), to: socket.number)
        socket.close()
        return true
    }

    private func refuse(_ socket: consuming OwnedDescriptor, _ message: String) {
        RefusedConnection.notify(refusal(message), to: socket.number)
        guard refused.count < limits.maximumRefused else { return }
        do throws(SystemError) {
            let connection = try RefusedConnection(socket, until: now.addingClamped(Self.refusalTime)) {
                [weak self] connection in
                guard let self else { return }
                deadlines.remove(connection)
                refused[ObjectIdentifier(connection)] = nil
            }
            refused[ObjectIdentifier(connection)] = connection
            deadlines.update(connection)
        } catch {
            // If the socket cannot be watched, the client still receives the reply, and the connection is closed.
            count(\.[closed: .systemError])
        }
    }

    private func refusal(_ message: String) -> EncodedReply {
        EncodedReply(error: refusalName, parameters: ["message": .string(message)])
    }
}

extension Server {
    /// The result of reading from a descriptor.
    enum Received {
        case bytes, nothing, end, failed
    }

    var now: UInt64 { clock.monotonicNanoseconds }

    /// Reads once, and passes on what was read, which is overwritten afterwards.
    func receive<Failure: Error>(
        from socket: Int32, _ append: (ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) -> Received {
        while true {
            let count = scratch.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
            if count > 0 {
                defer { scratch.erase(0..<count) }
                try append(scratch[..<count])
                return .bytes
            }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .nothing
            default: return .failed
            }
        }
    }

    func dispatch(_ call: Call) {
        count(\.calls)
        if !service.dispatch(call) { count(\.rejectedCalls) }
    }

    func closed(_ connection: ServerConnection, _ reason: CloseReason) {
        deadlines.remove(connection)
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        counts.remove(connection.share)
        statistics.openConnections = connections.count
        count(\.[closed: reason])
    }

    func count(_ counter: WritableKeyPath<ServerStatistics, Int>) {
        statistics[keyPath: counter] += 1
    }
}

extension ServerStatistics {
    /// The number of connections closed for a reason.
    public internal(set) subscript(closed reason: CloseReason) -> Int {
        get { closed[reason, default: 0] }
        set { closed[reason] = newValue }
    }
}
