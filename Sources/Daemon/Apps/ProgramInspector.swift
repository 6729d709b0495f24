import CLinux
import Durations
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
/// If the inspector misses the deadline for a process again, it is not queried for this process any more. If it misses
/// several because of one user's processes, it is not queried for further processes of this user for a while, because
/// each missed deadline delays all other users: `InspectorTimeouts`.
@DaemonActor
final class ProgramInspector {
    /// Whether a query would get a reply now, even if the reply is that the program is unknown.
    private(set) var isSettled = true
    /// Incremented whenever more programs may be identified: an inspector is available again, or a user is below the
    /// limit again.
    private(set) var generation: UInt64 = 0
    /// Why programs cannot be identified, a sentence; nil if they can.
    private(set) var problem: String?

    /// The pauses before the next connections. They grow while inspectors cannot be connected to, or close the
    /// connection before they reply to a query for a client.
    private(set) var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(30))

    private let changes: Changes
    private let clock: any TimeSource
    private let limitUser: @DaemonActor (UInt32) -> UInt32
    private let path: String?
    private var connection: Connection?
    private var isAnswering = false
    private var retry: TimerSource?
    private var patience: TimerSource?
    private var limitEnd: TimerSource?
    private var slowProcesses = SlowProcesses()
    private var userTimeouts: InspectorTimeouts

    /// How long clients wait for a lost inspector to return.
    private static let longestAbsence = Duration.seconds(5)
    /// How long the event loop waits for a reply, in seconds: longer than any reply of a process that was not stopped.
    var longestAnswerSeconds = 0.25

    private struct Connection {
        let descriptor: SharedDescriptor
        let source: IOSource
    }

    /// Queries the inspector at this socket, from `start` on; nil for a daemon that identifies programs itself.
    ///
    /// `limitUser` returns the user to whom the timeouts of a user's processes count: several user ids may have one
    /// limit together.
    init(
        socket path: String?, changes: Changes = Changes(), clock: any TimeSource = SystemClock(),
        timeouts: InspectorTimeouts = InspectorTimeouts(),
        limitUser: @escaping @DaemonActor (UInt32) -> UInt32 = { $0 }
    ) throws(SystemError) {
        self.path = path
        self.changes = changes
        self.clock = clock
        self.limitUser = limitUser
        userTimeouts = timeouts
        guard path != nil else { return }
        isSettled = false
        problem = "waymark-inspector has not responded yet"
        retry = try TimerSource(accuracy: .milliseconds(10)) { [weak self] in self?.connect() }
        patience = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.giveUpWaiting() }
        limitEnd = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.limitEnded() }
    }

    /// Whether no program can be identified at present.
    var isAbsent: Bool { path != nil && !isAnswering }

    /// Whether the program of a process cannot be identified at present: that it is unknown says nothing about the process.
    func isUndecided(_ peer: PeerIdentity) -> Bool { isAbsent || isLimited(peer) }

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
        guard slowProcesses.timeouts(of: peer) < SlowProcesses.mostTimeouts else {
            return .unknown("cannot be read in time: restart it once the file system of its program responds")
        }
        guard !isLimited(peer) else {
            return .unknown(
                "is not read for now, because other programs of its user could not be read in time: close those, and"
                    + " try again in ten minutes")
        }
        do throws(SystemError) {
            let number = connection.descriptor.number
            try Self.query(peer.processID, number)
            guard try PollDeadline(seconds: longestAnswerSeconds).poll(number, for: POLLIN) else {
                noteTimeout(of: peer)
                // The inspector had replied on this connection, so only this process is slow, and the next inspector
                // will reply as well. How often this happens is limited for each process and for each user.
                pause.reset()
                throw SystemError("wait for waymark-inspector", code: ETIMEDOUT)
            }
            let evidence = try Self.answer(number)
            // Not earlier: an inspector that starts, and then fails at each query, would be started again and again.
            pause.reset()
            return evidence
        } catch {
            lost(error)
            return .unknown("is not known: \(error)")
        }
    }

    /// Whether the inspector is not queried for a process now, because of its user's other processes.
    private func isLimited(_ peer: PeerIdentity) -> Bool {
        guard userTimeouts.userCount > 0 else { return false }
        return userTimeouts.end(of: limitUser(peer.userID), at: clock.monotonicNanoseconds) != nil
    }

    private func noteTimeout(of peer: PeerIdentity) {
        if slowProcesses.noteTimeout(of: peer) == SlowProcesses.mostTimeouts {
            Log.warning("the program of process \(peer.processID) of uid \(peer.userID) cannot be read in time")
        }
        let (user, now) = (limitUser(peer.userID), clock.monotonicNanoseconds)
        userTimeouts.add(user, at: now)
        guard userTimeouts.end(of: user, at: now) != nil else { return }
        Log.warning("several programs of uid \(peer.userID) cannot be read in time: no others are read for ten minutes")
        armLimitEnd()
    }

    private func armLimitEnd() {
        let now = clock.monotonicNanoseconds
        guard let end = userTimeouts.nextEnd(at: now) else { return }
        limitEnd?.arm(after: now.duration(until: end))
    }

    /// Has those clients identified that connected while their user had reached the limit.
    private func limitEnded() {
        armLimitEnd()
        // Without an inspector this happens when the next one responds.
        guard isAnswering else { return }
        generation += 1
        changes.report(.programsSettled)
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
