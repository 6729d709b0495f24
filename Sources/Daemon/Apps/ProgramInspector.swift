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
///
/// A process can make the inspector wait, for example by running a program from a file system that does not respond.
/// If the inspector misses the deadline for a process again, it is not queried for this process any more.
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
    /// The processes for which the inspector missed the deadline, the oldest first.
    private var slow: [SlowProcess] = []

    /// How long clients wait for a lost inspector to return.
    private static let longestAbsence = Duration.seconds(5)
    /// How long the event loop waits for a reply: longer than any reply of a process that was not stopped.
    private static let longestAnswerSeconds = 0.25

    /// How often the inspector may miss the deadline for a process: the first time the machine may have been busy.
    private static let mostTimeouts = 2
    /// The most processes that are remembered, each with a pidfd.
    private static let mostSlow = 64

    private struct SlowProcess {
        /// As long as it is alive, no other process has its number.
        let peer: PeerIdentity
        var timeouts = 0
    }

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

    /// Whether no program can be identified at present, so that an unknown program says nothing about a client.
    var isAbsent: Bool { path != nil && !isAnswering }

    /// Starts to connect.
    func start() {
        guard path != nil else { return }
        patience?.arm(after: Self.longestAbsence)
        connect()
    }

    /// The evidence of a client's identity; nil if the client has ended.
    func evidence(of peer: PeerIdentity, listener: String? = nil) -> PeerEvidence? {
        peer.evidence(listener: listener) { _ in program(of: peer) }
    }

    private func program(of peer: PeerIdentity) -> ProgramEvidence {
        guard path != nil else { return .of(processID: peer.processID) }
        guard isAnswering, let connection else { return .unknown("is not known: \(problem ?? "no inspector")") }
        guard timeouts(of: peer) < Self.mostTimeouts else {
            return .unknown("cannot be read in time: restart it once the file system of its program responds")
        }
        do throws(SystemError) {
            let number = connection.descriptor.number
            try Self.query(peer.processID, number)
            guard try PollDeadline(seconds: Self.longestAnswerSeconds).poll(number, for: POLLIN) else {
                noteTimeout(of: peer)
                throw SystemError("wait for waymark-inspector", code: ETIMEDOUT)
            }
            let evidence = try Self.answer(number)
            // Only now: an inspector that starts, and then waits for a process, would be started again and again.
            pause.reset()
            return evidence
        } catch {
            lost(error)
            return .unknown("is not known: \(error)")
        }
    }

    /// How often the inspector has missed the deadline for a process.
    private func timeouts(of peer: PeerIdentity) -> Int {
        slow.first { $0.peer.processID == peer.processID && $0.peer.isAlive }?.timeouts ?? 0
    }

    private func noteTimeout(of peer: PeerIdentity) {
        let timeouts = timeouts(of: peer) + 1
        slow.removeAll { $0.peer.processID == peer.processID || !$0.peer.isAlive }
        if slow.count >= Self.mostSlow { slow.removeFirst() }
        slow.append(SlowProcess(peer: peer, timeouts: timeouts))
        guard timeouts == Self.mostTimeouts else { return }
        Log.warning("the program of process \(peer.processID) of uid \(peer.userID) cannot be read in time")
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
