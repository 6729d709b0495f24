import JSONText

// A release build compiles this library as well, and has no Testing.
#if canImport(Testing)
    import Interfaces
    import Location
    import Platform
    import TestSupport
    import Testing
    import Varlink

    /// A program of another user that calls the daemon: an app, an agent, or neither.
    public final class AppClient {
        private let program: ProgramClient

        /// Starts a program of `TestApps` as a user and has it connect to a daemon's socket, as `ProgramClient` does.
        public init(
            _ path: String, to socket: String, as user: UInt32 = OtherUser.nobody, groups: [UInt32] = [],
            options: [String] = [], arguments: [String] = []
        ) throws {
            program = try ProgramClient(
                path, to: socket, as: user, groups: groups, options: options, arguments: arguments)
        }

        /// The number of its process.
        public var processID: Int32 { program.processID }

        /// Kills it.
        public func kill() throws { try program.kill() }

        /// Makes a call, whose replies `next` returns.
        public func begin(_ method: String, _ parameters: String = "{}", more: Bool = false) throws {
            try program.send(#"{"method":"\#(method)","parameters":\#(parameters),"more":\#(more)}"#)
        }

        /// The next reply; nil where none arrives in time, or the connection has ended.
        public func next(seconds: Double = Patience.daemon) throws -> Reply? {
            try program.next(seconds: seconds).map { try Reply(parsing: $0) }
        }

        /// Makes a call and waits for its reply.
        @discardableResult
        public func call(_ method: String, _ parameters: String = "{}") throws -> Reply {
            try begin(method, parameters)
            return try #require(try next(), "no reply to \(method)")
        }

        /// The next message to an agent.
        public func nextMessage(seconds: Double = Patience.daemon) throws -> AgentMessage? {
            guard let reply = try next(seconds: seconds) else { return nil }
            #expect(reply.error == nil, "\(reply.error ?? "") \(reply.parameters)")
            return AgentMessage(try AgentInterface.Register.reply(reply.parameters))
        }

        /// Registers as an agent, and reads up to the list of sessions, the last of the initial messages; returns the
        /// prompts among them.
        public func register() throws -> [Question] {
            try begin(AgentInterface.Method.register.rawValue, more: true)
            #expect(try nextMessage() == .registered)
            var questions: [Question] = []
            while case .prompt(let question)? = try nextMessage() { questions.append(question) }
            return questions
        }

        /// The next prompt that an agent receives.
        public func nextQuery() throws -> Question {
            guard case .prompt(let question)? = try nextMessage() else {
                throw VarlinkError.protocolViolation("an agent received something else than a prompt")
            }
            return question
        }
    }

    /// The calls of operators that tests need.
    public struct OperatorClient {
        /// The connection.
        public let client: Client

        /// Connects to a daemon of the test's own.
        public init(_ daemon: DaemonProcess) throws {
            try self.init(daemon.socketPath)
        }

        /// Connects to the daemon at a socket.
        public init(_ path: String) throws {
            client = try Client(path: path, timeout: .seconds(60))
        }

        /// Calls a method of `io.waymark.Manage` by its name and returns the parameters of its reply.
        @discardableResult
        public func call(
            _ method: ManageInterface.Method, _ write: (inout JSONWriter) -> Void = { $0.object { _ in } }
        ) throws -> JSON {
            var writer = JSONWriter()
            write(&writer)
            return try client.call(method.rawValue, try JSON.parse(writer.bytes), timeout: .seconds(60))
        }

        /// Calls a method of `io.waymark.Manage`.
        @discardableResult
        public func call<Method: VarlinkMethod>(_ method: Method) throws -> Method.Reply {
            try client.call(method, timeout: .seconds(60))
        }

        /// Decides for an app, and returns the app as the daemon then lists it.
        @discardableResult
        public func authorize(
            _ app: String, _ status: ManageInterface.Authorize.Status, uid: UInt32? = nil,
            accuracy: AccuracyAuthorization? = nil
        ) throws -> KnownApp {
            try call(ManageInterface.Authorize(app: app, uid: uid, status: status, accuracy: accuracy)).app
        }

        /// The app of this name; nil where there is none.
        public func app(_ name: String) throws -> KnownApp? {
            try call(ManageInterface.ListApps(app: name)).apps.first
        }

        /// All apps.
        public func list() throws -> ManageInterface.ListApps.Reply { try call(ManageInterface.ListApps()) }

        /// The daemon's status.
        public func status() throws -> DaemonStatus { try call(ManageInterface.Status()).status }

        /// All recordings.
        public func recordings() throws -> [KnownRecording] { try call(RecordingInterface.List()).recordings }

        /// All uploads.
        public func uploads() throws -> [KnownUpload] { try call(UploadsInterface.List()).uploads }

        /// The open requests.
        public func requests() throws -> [OpenRequest] { try call(ManageInterface.ListRequests()).requests }
    }
#endif
