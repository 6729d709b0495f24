import CLinux
import Glibc
import Inspector
import Platform
import Synchronization
import TestSupport

/// An inspector whose replies the test decides. It runs within the test, so that it needs no rights.
final class ScriptedInspector: Sendable {
    private struct Script {
        var programs: [pid_t: String] = [:]
        var hanging: Set<pid_t> = []
        var isPresent = true
        var isOver = false
        var queries: [pid_t: Int] = [:]
    }

    /// What the test and the thread share.
    private final class Shared: Sendable {
        let script = Mutex(Script())
    }

    /// The seconds within which it replies also on a busy machine, where its thread may have to wait for a processor.
    static let patience = 20.0

    /// The path of its socket.
    let path: String
    private let shared = Shared()

    /// Listens at this path, which is not to be there yet.
    init(_ path: String) throws(SystemError) {
        self.path = path
        let socket = try BoundSocket.make(SOCK_SEQPACKET, at: path)
        let number = socket.number
        try retrying("listen", subject: path) { listen(number, 16) }
        let listener = SharedDescriptor(socket)
        try DetachedThread.start(name: "inspector") { [shared] in Self.serve(listener, shared) }
    }

    deinit { shared.script.withLock { $0.isOver = true } }

    /// The program that it reports for a process from now on.
    func report(_ program: String, of processID: pid_t) {
        shared.script.withLock { $0.programs[processID] = program }
    }

    /// From now on it does not reply to a query for this process.
    func hang(for processID: pid_t) { shared.script.withLock { _ = $0.hanging.insert(processID) } }

    /// Closes all connections, and every new one at once.
    func leave() { shared.script.withLock { $0.isPresent = false } }

    /// Replies again.
    func comeBack() { shared.script.withLock { $0.isPresent = true } }

    /// How often it was queried for a process.
    func queryCount(of processID: pid_t) -> Int { shared.script.withLock { $0.queries[processID] ?? 0 } }

    private static func serve(_ listener: SharedDescriptor, _ shared: Shared) {
        // As the loop, which waits for it only for a short time; see `LoopThread`.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -10)
        var connections: [SharedDescriptor] = []
        while !shared.script.withLock({ $0.isOver }) {
            var entries = ([listener] + connections).map {
                pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0)
            }
            _ = poll(&entries, nfds_t(entries.count), 20)
            if let connection = accepted(listener) { connections.append(connection) }
            let isPresent = shared.script.withLock { $0.isPresent }
            connections.removeAll { !isPresent || !reply(on: $0, shared) }
        }
    }

    private static func accepted(_ listener: SharedDescriptor) -> SharedDescriptor? {
        do throws(SystemError) {
            guard let connection = try UnixSocket.accept(listener.number) else { return nil }
            return SharedDescriptor(connection)
        } catch {
            return nil
        }
    }

    /// Replies to the queries on a connection; false once it has ended.
    private static func reply(on connection: SharedDescriptor, _ shared: Shared) -> Bool {
        var buffer = [UInt8](repeating: 0, count: InspectorRequest.mostBytes)
        while true {
            let count = recv(connection.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0 { return errno == EAGAIN }
            guard count > 0, case .program(let processID)? = InspectorRequest(buffer[..<count]) else { return false }
            let program = shared.script.withLock { script -> ProgramEvidence? in
                script.queries[processID, default: 0] += 1
                guard !script.hanging.contains(processID) else { return nil }
                guard let path = script.programs[processID] else { return .unknown("is not in the script") }
                return .file(path)
            }
            guard let program else { continue }
            let bytes = InspectorAnswer.program(program).bytes
            _ = send(connection.number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }
}
