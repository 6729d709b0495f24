import Glibc
import Interfaces
import JSONText
import Platform
import Varlink

/// A daemon with only `io.waymark.Reachability`, which replies as a test says: replies are checked
/// against the interface, and it can stop and start again.
@DaemonActor
public final class ReportedNetwork {
    /// The path of its socket.
    nonisolated public let socketPath: String
    /// The parameters of its replies, by method.
    private var answers: [String: JSON] = [:]
    /// The error of every call, if any.
    private var failure: ErrorName?
    private var streams: [(call: Call, method: String)] = []
    private var leavesAtStream = false
    /// The parameters of the calls so far, by method, the oldest first.
    public private(set) var calls: [(method: String, parameters: JSON)] = []
    private let service: Service
    private let description: InterfaceDescription
    private var server: Server?

    /// A network that listens in a directory.
    @concurrent nonisolated public static func start(in directory: TemporaryDirectory) async throws -> ReportedNetwork {
        LoopThread.start()
        let network = try await ReportedNetwork(directory.file("network.sock"))
        try await network.start()
        return network
    }

    private init(_ socketPath: String) throws {
        self.socketPath = socketPath
        description = try InterfaceDescription(parsing: WaymarkInterface.reachability.text)
        service = try Service(
            info: ServiceInfo(
                vendor: "Waymark", product: "A scripted network", version: "1", url: "https://example.org"))
        try service.register(
            WaymarkInterface.reachability.text, requiringMore: ["MonitorPath", "MonitorTarget"]
        ) { [weak self] in self?.handle($0) }
    }

    /// Listens, again after `stop`.
    public func start() throws {
        let server = try Server(service, tooManyConnections: ErrorName.tooManyConnections.rawValue)
        try server.listen(on: UnixSocket.listen(path: socketPath, mode: 0o600))
        self.server = server
    }

    /// Stops, and closes all its connections.
    public func stop() {
        server?.stop()
        server = nil
        SocketPath.free(socketPath)
        streams = []
    }

    /// Stops as soon as a client has a stream, however long the test itself is suspended.
    public func stopAtStream() { leavesAtStream = true }

    /// How many streams are open.
    public var streamCount: Int { streams.count }

    /// Sets the reply to a method from now on, and sends it on open streams.
    public func answer(_ method: ReachabilityInterface.Method, _ parameters: JSON) throws {
        let name = String(method.rawValue.split(separator: ".").last ?? "")
        if let output = description.methods[name]?.output { try description.validate(parameters, against: output) }
        answers[name] = parameters
        for stream in streams where stream.method == name {
            stream.call.reply(EncodedReply(parameters, continues: true))
        }
    }

    /// Fails every call from now on, and ends the streams with the error; nil for none.
    public func fail(_ error: ErrorName?) {
        failure = error
        guard let error else { return }
        for stream in streams { fail(stream.call, error) }
        streams = []
    }

    private func fail(_ call: Call, _ error: ErrorName) {
        call.fail(error.rawValue, message: "The test says no.")
    }

    private func handle(_ call: Call) {
        calls.append((call.methodName, call.parameters))
        if let failure { return fail(call, failure) }
        guard let answer = answers[call.methodName] else { return call.reply { _ in } }
        if call.wantsMore {
            streams.append((call, call.methodName))
            call.onEnd = { [weak self, unowned call] in self?.streams.removeAll { $0.call === call } }
        }
        call.reply(EncodedReply(answer, continues: call.wantsMore))
        if call.wantsMore, leavesAtStream { DaemonActor.post { [weak self] in self?.stop() } }
    }
}
