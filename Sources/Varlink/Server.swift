import CLinux
import Durations
import Glibc
import Platform

/// Takes connections on Unix sockets and gives their calls to a service.
@DaemonActor
public final class Server {
    /// What clients are granted.
    public private(set) var limits: ServerLimits
    /// What has been counted.
    public private(set) var statistics = ServerStatistics()
    /// Decides to whose share connections count; without it each user id has a share of its own.
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
    /// accept4(2), or a test's way to fail.
    var takeConnection: (Int32) throws(SystemError) -> OwnedDescriptor? = { listener throws(SystemError) in
        try UnixSocket.accept(listener)
    }
    /// What is received, of any connection: used up before the next is read.
    private var scratch = [UInt8](repeating: 0, count: 64 << 10)

    /// How many connections are accepted before the loop goes on to other work.
    private static let acceptedAtOnce = 64
    private static let acceptPause: UInt64 = 1_000_000_000
    private static let refusalTime: UInt64 = 1_000_000_000

    /// A server without sockets.
    /// - Parameter tooManyConnections: The full name of the error that a connection beyond the limits gets.
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

    /// Accepts connections on a listening socket. The name says which socket a connection came through.
    public func listen(on socket: consuming OwnedDescriptor, name: String = "") throws(SystemError) {
        // A socket that somebody hands over may block, and then the loop would stop at the accept that finds none.
        let number = socket.number
        let flags = try retrying("read a descriptor's flags") { fcntl(number, F_GETFL) }
        try retrying("set a descriptor's flags") { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
        let listener = try Listener(socket, name: name) { [weak self] in self?.accept(from: $0) }
        listeners.append(listener)
    }

    /// Takes over a connection that was accepted elsewhere or earlier; it does not block.
    public func adopt(_ socket: consuming OwnedDescriptor, name: String = "") {
        let peer: PeerIdentity
        do throws(SystemError) { peer = try PeerIdentity(socket: socket.number) } catch {
            // A peer that cannot be named gets nothing.
            count(\.[closed: .systemError])
            return
        }
        switch counts.refusal(of: share(of: peer), under: limits) {
        case .inAll:
            count(\.refusedInAll)
            return refuse(socket, "Too many programs are connected. Try again later.")
        case .forUser:
            count(\.refusedForUser)
            return refuse(socket, "This user has too many connections open. Close some of them.")
        case nil: break
        }
        do throws(SystemError) {
            let connection = try ServerConnection(socket, peer: peer, listenerName: name, server: self)
            admit(connection)
            count(\.acceptedConnections)
        } catch {
            count(\.[closed: .systemError])
        }
    }

    /// Takes over a connection that an earlier process left. It rests until `ServerConnection.goOn`.
    /// - Parameter process: The pidfd that was left beside it, where one was.
    public func resume(
        _ socket: consuming OwnedDescriptor, process: consuming OwnedDescriptor?, _ handed: HandedConnection
    ) throws -> ServerConnection {
        let peer = try PeerIdentity(socket: socket.number, handedProcess: process)
        let connection = try ServerConnection(socket, peer: peer, continuing: handed, server: self)
        admit(connection)
        return connection
    }

    private func share(of peer: PeerIdentity) -> ConnectionShare {
        sharing?.share(of: peer) ?? (peer.userID == limits.unlimitedUser ? .root : .account(peer.userID))
    }

    /// How a call that was in progress when an earlier process ended is made again.
    func repetition(of request: CallRequest) -> CallRepetition { service.repetition(of: request) }

    private func admit(_ connection: ServerConnection) {
        connections[ObjectIdentifier(connection)] = connection
        connection.share = share(of: connection.peer)
        counts.add(connection.share)
        statistics.openConnections = connections.count
    }

    /// Counts the connections of a user anew, who may have another share than when they were made. None of them ends by it.
    public func reviewShares(of user: UInt32) {
        for connection in connections.values where connection.peer.userID == user {
            counts.remove(connection.share)
            connection.share = share(of: connection.peer)
            counts.add(connection.share)
        }
    }

    /// The connections that are open, to be handed to the next process.
    public var openConnections: [ServerConnection] { Array(connections.values) }

    /// Accepts no connection from here on, reads nothing and begins no call; calls in progress go on.
    public func prepareToLeave() {
        stopListening()
        for connection in Array(connections.values) { connection.prepareToLeave() }
    }

    /// Grants more or fewer connections from now on; those that are open go on.
    public func setMaximumConnections(_ count: Int, perUser: Int) {
        limits.maximumConnections = count
        limits.maximumConnectionsPerUser = perUser
    }

    /// Accepts no more connections; those that are open go on.
    public func stopListening() {
        for listener in listeners {
            listener.cancel()
            deadlines.remove(listener)
        }
        listeners = []
    }

    /// Ends everything.
    public func stop() {
        stopListening()
        for connection in Array(connections.values) { connection.close(.serverStopped) }
        for connection in refused.values { connection.cancel() }
        refused = [:]
        deadlines.cancel()
    }

    // Its connections end with it, whoever has one of them still, and so does what the loop watches for them: on the
    // loop's thread.
    isolated deinit {
        for connection in connections.values { connection.disconnect() }
    }

    private func accept(from listener: Listener) {
        for _ in 0..<Self.acceptedAtOnce {
            do throws(SystemError) {
                guard try acceptOne(from: listener) else { return }
            } catch {
                // Whatever it is, the connection stays in the queue: without a pause the loop would spin.
                count(\.acceptPauses)
                listener.pause(until: now.addingClamped(Self.acceptPause))
                return deadlines.update(listener)
            }
        }
    }

    /// Takes the next connection; false where none waits.
    private func acceptOne(from listener: Listener) throws(SystemError) -> Bool {
        do throws(SystemError) {
            guard let socket = try takeConnection(listener.descriptor.number) else { return false }
            adopt(socket, name: listener.name)
            return true
        } catch {
            guard error.code == EMFILE, try refuseWithSpare(listener) else { throw error }
            return true
        }
    }

    /// Takes a connection with the last descriptor only to say that there is none; false where that cannot be done.
    private func refuseWithSpare(_ listener: Listener) throws(SystemError) -> Bool {
        guard spare.isAvailable else {
            spare.restore()
            return spare.isAvailable
        }
        spare.giveUp()
        // Runs after the connection below is closed, which leaves the descriptor that is taken here.
        defer { spare.restore() }
        guard let socket = try takeConnection(listener.descriptor.number) else { return true }
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
            // If the socket cannot be watched, the client keeps what it has received and is closed.
            count(\.[closed: .systemError])
        }
    }

    private func refusal(_ message: String) -> EncodedReply {
        EncodedReply(error: refusalName, parameters: ["message": .string(message)])
    }
}

extension Server {
    /// What a descriptor had to read.
    enum Received {
        case bytes(ArraySlice<UInt8>)
        case nothing, end, failed
    }

    var now: UInt64 { clock.monotonicNanoseconds }

    func receive(from socket: Int32) -> Received {
        while true {
            let count = scratch.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
            if count > 0 { return .bytes(scratch[..<count]) }
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
    /// Connections ended for a reason.
    public internal(set) subscript(closed reason: CloseReason) -> Int {
        get { closed[reason, default: 0] }
        set { closed[reason] = newValue }
    }
}
