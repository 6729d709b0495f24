import Interfaces
import JSONText
import Platform
import TestSupport
import Varlink

/// A service that says it is a daemon of some release, with the interfaces that one has, and notes what it is asked.
@DaemonActor final class OtherDaemon {
    private let server: Server
    private var answers: [String: JSON]
    /// The methods that were called, the first first.
    private(set) var calls: [String] = []

    /// One that listens at a path, and answers these methods, by their full names, with these parameters; others with none.
    @concurrent nonisolated static func start(
        at path: String, _ info: ServiceInfo, interfaces: [String], answers: [String: JSON] = [:]
    ) async throws -> OtherDaemon {
        LoopThread.start()
        return try await OtherDaemon(path, info, interfaces, answers)
    }

    private init(_ path: String, _ info: ServiceInfo, _ interfaces: [String], _ answers: [String: JSON]) throws {
        self.answers = answers
        let service = try Service(info: info)
        server = try Server(service, tooManyConnections: ErrorName.tooManyConnections.rawValue)
        for text in interfaces { try service.register(text) { [weak self] in self?.handle($0) } }
        try server.listen(on: UnixSocket.listen(path: path, mode: 0o600))
    }

    isolated deinit { server.stop() }

    /// Goes away.
    func stop() { server.stop() }

    private func handle(_ call: Call) {
        calls.append(call.request.method)
        call.reply(EncodedReply(answers[call.request.method] ?? .emptyObject, continues: call.wantsMore))
    }
}
