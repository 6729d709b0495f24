import CLinux
import Glibc
import Inspector
import Platform

/// Identifies the programs of clients: directly if the daemon may, or through a `waymark-inspector`, which has the
/// rights that the daemon lacks and runs as long as the daemon is connected to it.
///
/// The inspector is queried synchronously on the event loop and replies within some hundredths of a millisecond. It is
/// queried only after it has shown that it responds, and abandoned if it misses the deadline. Before its first reply
/// and after its loss clients wait for it, for a limited time: `isSettled`.
@DaemonActor
final class ProgramInspector {
    /// Whether a query would get a reply now, even if the reply is that the program is unknown.
    private(set) var isSettled = true
    /// Incremented whenever an inspector becomes available again.
    private(set) var generation: UInt64 = 0
    /// Why programs cannot be identified, a sentence; nil if they can.
    private(set) var problem: String?

    private let changes: Changes
    private let path: String?
    private var connection: Connection?
    private var isAnswering = false
    private var retry: TimerSource?
    private var patience: TimerSource?
    private var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(30))

    /// How long clients wait for a lost inspector to return.
    private static let longestAbsence = Duration.seconds(5)
    /// How long the event loop waits for a reply: longer than any reply of a process that was not stopped.
    private static let longestAnswerSeconds = 0.25

    private struct Connection {
        let descriptor: SharedDescriptor
        let source: IOSource
    }

    /// Queries the inspector at this socket, from `start` on; nil for a daemon that identifies programs itself.
    init(socket path: String?, changes: Changes = Changes()) throws(SystemError) {
        self.path = path
        self.changes = changes
        guard path != nil else { return }
        isSettled = false
        problem = "waymark-inspector has not responded yet"
        retry = try TimerSource(accuracy: .milliseconds(10)) { [weak self] in self?.connect() }
        patience = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.giveUpWaiting() }
    }

    /// Starts to connect.
    func start() {
        guard path != nil else { return }
        patience?.arm(after: Self.longestAbsence)
        connect()
    }

    /// The evidence of a client's identity; nil if the client has ended.
    func evidence(of peer: PeerIdentity, listener: String? = nil) -> PeerEvidence? {
        peer.evidence(listener: listener) { program(of: $0) }
    }

    private func program(of processID: pid_t) -> ProgramEvidence {
        guard path != nil else { return .of(processID: processID) }
        guard isAnswering, let connection else { return .unknown("is not known: \(problem ?? "no inspector")") }
        do throws(SystemError) {
            let number = connection.descriptor.number
            try Self.query(processID, number)
            guard try PollDeadline(seconds: Self.longestAnswerSeconds).poll(number, for: POLLIN) else {
                throw SystemError("wait for waymark-inspector", code: ETIMEDOUT)
            }
            return try Self.answer(number)
        } catch {
            lost(error)
            return .unknown("is not known: \(error)")
        }
    }

    private static func query(_ processID: pid_t, _ number: Int32) throws(SystemError) {
        let request = InspectorRequest.program(processID: processID).bytes
        try retrying("query waymark-inspector") { send(number, request, request.count, Int32(MSG_NOSIGNAL)) }
    }

    private static func answer(_ number: Int32) throws(SystemError) -> ProgramEvidence {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = try retrying("read from waymark-inspector") { recv(number, &buffer, buffer.count, 0) }
        guard count > 0 else { throw SystemError("hear waymark-inspector", code: ECONNRESET) }
        guard case .program(let evidence)? = InspectorAnswer(buffer[..<count]) else {
            throw SystemError("decode the reply of waymark-inspector", code: EPROTO)
        }
        return evidence
    }

    // The connection

    private func connect() {
        guard let path, connection == nil else { return }
        do throws(SystemError) {
            let descriptor = SharedDescriptor(try UnixSocket.connectAtOnce(path: path, .messages))
            let source = try IOSource(descriptor.number, .readable) { [weak self] _ in self?.hear() }
            connection = Connection(descriptor: descriptor, source: source)
            // The inspector is just being started. Its reply to this query shows that it runs.
            try Self.query(getpid(), descriptor.number)
        } catch {
            lost(error)
        }
    }

    /// Handles data or a disconnection outside a synchronous query.
    private func hear() {
        guard let connection else { return }
        do throws(SystemError) {
            _ = try Self.answer(connection.descriptor.number)
        } catch {
            guard error.code != EAGAIN else { return }
            return lost(error)
        }
        guard !isAnswering else { return }
        isAnswering = true
        problem = nil
        pause.reset()
        patience?.disarm()
        generation += 1
        isSettled = true
        changes.report(.programsSettled)
    }

    private func lost(_ error: SystemError) {
        connection?.source.cancel()
        connection = nil
        let text = "\(error)"
        if isAnswering || problem != text { Log.warning("the programs of clients cannot be identified: \(text)") }
        problem = text
        if isAnswering {
            isAnswering = false
            isSettled = false
            patience?.arm(after: Self.longestAbsence)
        }
        retry?.arm(after: pause.next())
    }

    private func giveUpWaiting() {
        guard !isSettled else { return }
        isSettled = true
        changes.report(.programsSettled)
    }

    // The source ends before the descriptor is closed.
    isolated deinit {
        connection?.source.cancel()
    }
}
