import Interfaces
import JSONText
import Platform
import TestSupport
import Varlink

/// A service that pretends to be a daemon of some release, with that release's interfaces, and records its calls.
@DaemonActor final class OtherDaemon {
    private let server: Server
    private let path: String
    private var answers: [String: JSON]
    /// The methods that were called, the first first.
    private(set) var calls: [String] = []

    /// A service that listens at a path, and replies to these methods, by full name, with these parameters; to others
    /// with none.
    @concurrent nonisolated static func start(
        at path: String, _ info: ServiceInfo, interfaces: [String], answers: [String: JSON] = [:]
    ) async throws -> OtherDaemon {
        LoopThread.start()
        return try await OtherDaemon(path, info, interfaces, answers)
    }

    private init(_ path: String, _ info: ServiceInfo, _ interfaces: [String], _ answers: [String: JSON]) throws {
        self.answers = answers
        self.path = path
        let service = try Service(info: info)
        server = try Server(service, tooManyConnections: ErrorName.tooManyConnections.rawValue)
        for text in interfaces { try service.register(text) { [weak self] in self?.handle($0) } }
        try server.listen(on: UnixSocket.listen(path: path, mode: 0o600))
    }

    isolated deinit { server.stop() }

    /// Stops, so that another one can listen at the path.
    func stop() {
        server.stop()
        SocketPath.free(path)
    }

    private func handle(_ call: Call) {
        calls.append(call.request.method)
        call.reply(EncodedReply(answers[call.request.method] ?? .emptyObject, continues: call.wantsMore))
    }
}
