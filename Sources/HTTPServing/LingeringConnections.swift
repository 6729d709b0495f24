import CLinux
import Durations
import Glibc
import Platform

/// Connections that were answered while their clients are still sending a body which nobody wants. If such a connection were
/// closed, the kernel would reset it with the next byte of the client, and that destroys an answer which the client, or a
/// proxy, has not read yet. So what arrives is read and discarded until the client closes the connection, or for some time.
@DaemonActor
final class LingeringConnections {
    @DaemonActor
    private final class Connection {
        let socket: OwnedDescriptor
        let deadline: UInt64
        var source: IOSource?

        init(_ socket: consuming OwnedDescriptor, until deadline: UInt64) {
            self.socket = socket
            self.deadline = deadline
        }

        isolated deinit { source?.cancel() }
    }

    private let clock: any TimeSource
    private let longest: Duration
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var timer: TimerSource?

    /// The most connections at a time. Beyond: the connection is closed at once.
    private static let most = 64
    /// What is received, and overwritten by what comes next.
    private var scratch = [UInt8](repeating: 0, count: 256 << 10)

    init(
        for longest: Duration = .seconds(30), clock: any TimeSource
    ) throws(SystemError) {
        self.longest = longest
        self.clock = clock
        timer = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.expire() }
    }

    /// The number of these connections.
    var count: Int { connections.count }

    /// Discards what arrives on a socket from now on, whoever else closes it.
    func add(_ socket: Int32) {
        guard connections.count < Self.most else { return }
        do throws(SystemError) {
            let own = try OwnedDescriptor("duplicate a socket") { fcntl(socket, F_DUPFD_CLOEXEC, 0) }
            let number = own.number
            let connection = Connection(own, until: clock.monotonicNanoseconds.after(longest))
            let id = ObjectIdentifier(connection)
            connection.source = try IOSource(number, .readable) { [weak self] _ in self?.discard(from: number, id) }
            connections[id] = connection
            armTimer()
        } catch { Log.debug("a connection is closed before its client has sent its body: \(error)") }
    }

    /// Closes all of them.
    func stop() {
        connections = [:]
        timer?.disarm()
    }

    private func discard(from socket: Int32, _ id: ObjectIdentifier) {
        let count = recv(socket, &scratch, scratch.count, Int32(MSG_DONTWAIT))
        guard count == 0 || count < 0 && errno != EAGAIN && errno != EINTR else { return }
        connections[id] = nil
        armTimer()
    }

    private func expire() {
        let now = clock.monotonicNanoseconds
        connections = connections.filter { $0.value.deadline > now }
        armTimer()
    }

    private func armTimer() {
        guard let next = connections.values.map(\.deadline).min() else { return timer?.disarm() ?? () }
        timer?.arm(at: next)
    }
}
