import CLinux
import Glibc
import Inspector
import Platform

/// Finds out which programs clients run: by itself where it may, or by asking a `waymark-inspector`, which may see what
/// the daemon may not and stays as long as it is connected.
///
/// It is asked in the turn of the loop that wants to know, and answers within some hundredths of a millisecond. It is
/// asked only once it has shown that it answers; one that does not answer in time is not waited for again. Until it
/// answers for the first time, and after it was lost, clients wait for it, but not for ever: `isSettled`.
@DaemonActor
final class ProgramInspector {
    /// Called when `isSettled` has become true, or what is known may be more than before.
    var onSettled: (@DaemonActor () -> Void)?
    /// Whether a question has an answer now, were it that there is none.
    private(set) var isSettled = true
    /// Counts up whenever there is somebody to ask again.
    private(set) var generation: UInt64 = 0
    /// Why programs are not known, a sentence; nil where they are.
    private(set) var problem: String?

    private let path: String?
    private var connection: Connection?
    private var isAnswering = false
    private var retry: TimerSource?
    private var patience: TimerSource?
    private var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(30))

    /// How long clients wait for one who was lost to be back.
    private static let longestAbsence = Duration.seconds(5)
    /// How long the loop waits for an answer: longer than anything but a process that was stopped takes.
    private static let longestAnswerSeconds = 0.25

    private struct Connection {
        let descriptor: SharedDescriptor
        let source: IOSource
    }

    /// Asks at this socket, from `start` on; nil for who looks by itself.
    init(socket path: String?) throws(SystemError) {
        self.path = path
        guard path != nil else { return }
        isSettled = false
        problem = "waymark-inspector has not answered yet"
        retry = try TimerSource(accuracy: .milliseconds(10)) { [weak self] in self?.connect() }
        patience = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.giveUpWaiting() }
    }

    /// Begins to connect.
    func start() {
        guard path != nil else { return }
        patience?.arm(after: Self.longestAbsence)
        connect()
    }

    /// What a client is known by; nil where it has ended.
    func evidence(of peer: PeerIdentity, listener: String? = nil) -> PeerEvidence? {
        peer.evidence(listener: listener) { program(of: $0) }
    }

    private func program(of processID: pid_t) -> ProgramEvidence {
        guard path != nil else { return .of(processID: processID) }
        guard isAnswering, let connection else { return .unknown("is not known: \(problem ?? "nobody tells")") }
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
        try retrying("ask waymark-inspector") { send(number, request, request.count, Int32(MSG_NOSIGNAL)) }
    }

    private static func answer(_ number: Int32) throws(SystemError) -> ProgramEvidence {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = try retrying("hear waymark-inspector") { recv(number, &buffer, buffer.count, 0) }
        guard count > 0 else { throw SystemError("hear waymark-inspector", code: ECONNRESET) }
        guard case .program(let evidence)? = InspectorAnswer(buffer[..<count]) else {
            throw SystemError("understand waymark-inspector", code: EPROTO)
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
            // It is being started; this answer tells that it runs.
            try Self.query(getpid(), descriptor.number)
        } catch {
            lost(error)
        }
    }

    /// Something came, or its end, that nobody waits for in place.
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
        onSettled?()
    }

    private func lost(_ error: SystemError) {
        connection?.source.cancel()
        connection = nil
        let text = "\(error)"
        if isAnswering || problem != text { Log.warning("which programs clients run is not known: \(text)") }
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
        onSettled?()
    }

    // Before the descriptor is closed.
    isolated deinit {
        connection?.source.cancel()
    }
}
