import Glibc
import Interfaces
import JSONText
import Location
import NetworkPaths
import Platform
import TestSupport
import Testing
import Upload
import Varlink

/// A substitute for the daemon in the test's own process: one recording, in memory.
@DaemonActor
final class DaemonDouble {
    nonisolated let path: String
    private let directory: TemporaryDirectory
    private var server: Server?

    var id = RecordingID(high: 0x0123_4567_89AB_4DEF, low: 0x8123_4567_89AB_CDEF)
    private(set) var last: Int64 = 0
    private(set) var cursor: Int64 = 0
    /// The counts stored with the cursor, as the interface defines them.
    private(set) var sent: Int64 = 0
    private(set) var filtered: Int64 = 0
    private(set) var deadLetters: [Int64: DestinationRefusal] = [:]
    /// The state of the recording, and the error of reads in this state.
    var state = RecordingInterface.State.recording
    var refusal: ErrorName?
    /// The accuracy of the positions that the app may have.
    var accuracy = AccuracyAuthorization.full
    /// The uploader's monitor of regions.
    let regions = MonitorDouble()
    var isPaused = false
    var target = TargetReachability(host: "127.0.0.1", port: 8_080, status: .reachable)
    /// The error of calls that watch the network path.
    var pathRefusal: ErrorName?
    var attachRefusal: ErrorName?
    /// The methods that this daemon does not know.
    var unknownMethods: Set<String> = []
    /// The most positions in a reply, whatever the limit of the call.
    var mostInOneReply = 1_000
    /// Numbers of positions that cannot be read.
    var unreadable: Set<Int64> = []
    /// Whether stores get a reply.
    var answersStores = true

    /// The number of reads that wait for a position or for the end.
    var readsInProgress: Int { waitingReads.count }
    private(set) var starts = 0
    private(set) var statuses: [UploadStatus] = []
    private(set) var outcomes: [String] = []
    private(set) var watched: [ReachabilityInterface.MonitorTarget] = []
    private(set) var reads: [RecordingInterface.Read] = []
    private var waitingReads: [(call: Call, request: RecordingInterface.Read)] = []
    private var unanswered: [@DaemonActor () -> Void] = []
    private var attached: [Call] = []
    private var watchers: [Call] = []
    private var authorizationWatchers: [Call] = []

    /// Starts a daemon. Not on the loop, which may not run yet.
    @concurrent nonisolated static func start() async throws -> DaemonDouble {
        LoopThread.start()
        return try await DaemonDouble()
    }

    private init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("socket")
        try listen()
    }

    func listen() throws {
        let service = try Service(
            info: ServiceInfo(vendor: "Waymark", product: "Double", version: "1", url: "https://example.org"))
        for interface in [WaymarkInterface.recording, .uploads, .reachability, .location, .regions] {
            try service.register(interface.text) { [weak self] in self?.handle($0) }
        }
        let server = try Server(service, limits: ServerLimits(), tooManyConnections: "io.waymark.Location.TooMany")
        try server.listen(on: UnixSocket.listen(path: path, mode: 0o600), name: "main")
        self.server = server
    }

    /// Stops as after a crash: everything stored is still there afterwards.
    func stop() {
        server?.stop()
        server = nil
        SocketPath.free(path)
        waitingReads = []
        attached = []
        watchers = []
        authorizationWatchers = []
        unanswered = []
        regions.stop()
    }

    // Actions of a test.

    func record(_ count: Int64 = 1) {
        last += count
        let due = waitingReads.filter { $0.request.after < last }
        waitingReads.removeAll { $0.request.after < last }
        for (call, request) in due { answer(call, request) }
    }

    func order(_ command: UploaderCommand? = nil) {
        for call in attached {
            let order = UploadsInterface.Attach.Reply(command: command?.rawValue, isPaused: isPaused)
            call.reply(EncodedReply(order, continues: true))
        }
    }

    func reportPath(_ status: TargetReachability.Status, _ reason: UnreachableReason? = nil) {
        target.status = status
        target.reason = reason
        target.generation += 1
        for call in watchers { sendTarget(call) }
    }

    /// Withdraws the permission: waiting reads fail.
    func withdraw(_ error: ErrorName, state: RecordingInterface.State) {
        refusal = error
        self.state = state
        failReads(error, "You may not.")
    }

    func allow() {
        refusal = nil
        state = "recording"
        for call in authorizationWatchers { reportAuthorization(call) }
    }

    /// Erases the recording: the next start makes another one.
    func erase() {
        id = RecordingID(high: 1, low: 2)
        last = 0
        cursor = 0
        (sent, filtered) = (0, 0)
        deadLetters = [:]
        failReads(.recordingNoSuchRecording, "Erased.", [JSON.Member("identifier", "home")])
    }

    private func failReads(_ error: ErrorName, _ message: String, _ parameters: [JSON.Member] = []) {
        for (call, _) in waitingReads { call.fail(error.rawValue, message: message, parameters: parameters) }
        waitingReads = []
    }

    func answerStores() {
        answersStores = true
        let all = unanswered
        unanswered = []
        for answer in all { answer() }
    }

    private static let beginning = Double(SystemClock().utcMicroseconds) / 1e6

    static func position(_ number: Int64) -> Position? {
        Coordinate(latitude: 48 + Double(number % 1_000) / 1e6, longitude: 11.5).map {
            Position(timestamp: beginning + Double(number) / 1e3, coordinate: $0, horizontalAccuracy: 4)
        }
    }

    // Calls.

    /// The interfaces of the first protocol version, by name.
    private static let firstProtocol = Result {
        let texts = try PinnedProtocol(1).texts.map { try InterfaceDescription(parsing: $0) }
        return Dictionary(uniqueKeysWithValues: texts.map { ($0.name, $0) })
    }

    /// Checks that a call exists in the first protocol version: an updated uploader has to work with an older daemon.
    private func expectFirstProtocol(_ request: CallRequest) {
        do {
            let interface = try Self.firstProtocol.get()[request.interfaceName]
            let isKnown = interface?.methods[request.methodName] != nil
            #expect(isKnown, "the first protocol has no \(request.method): document it in Documentation/protocol.md")
            #expect(interface?.unknownParameter(request.parameters, of: request.methodName) == nil)
        } catch {
            Issue.record(error)
        }
    }

    private func handle(_ call: Call) {
        expectFirstProtocol(call.request)
        if unknownMethods.contains(call.request.method) {
            return call.fail(ServiceError.methodNotFound(call.request.method))
        }
        do throws(InvalidParameter) {
            switch call.request.method {
            case RecordingInterface.Method.start.rawValue: start(call)
            case RecordingInterface.Method.read.rawValue:
                read(call, try RecordingInterface.Read(varlink: call.parameters))
            case RecordingInterface.Method.acknowledge.rawValue:
                let request = try RecordingInterface.Acknowledge(varlink: call.parameters)
                store { [self] in
                    if request.upTo > cursor {
                        sent += request.sent ?? 0
                        filtered += request.filtered ?? 0
                    }
                    cursor = max(cursor, request.upTo)
                    call.reply { [cursor] in $0.member("acknowledged", cursor) }
                }
            case RecordingInterface.Method.reject.rawValue:
                let request = try RecordingInterface.Reject(varlink: call.parameters)
                store { [self] in
                    deadLetters[request.sequence] = DestinationRefusal(
                        status: Int(request.status), message: request.message)
                    call.reply { _ in }
                }
            case RecordingInterface.Method.readRejected.rawValue:
                readRejected(call, try RecordingInterface.ReadRejected(varlink: call.parameters))
            case RecordingInterface.Method.revive.rawValue:
                let number = try RecordingInterface.Revive(varlink: call.parameters).sequence
                if deadLetters.removeValue(forKey: number) != nil { sent += 1 }
                call.reply { _ in }
            case UploadsInterface.Method.attach.rawValue: attach(call)
            case UploadsInterface.Method.report.rawValue:
                statuses.append(try UploadsInterface.Report(varlink: call.parameters).status)
                call.reply { _ in }
            case ReachabilityInterface.Method.monitorTarget.rawValue:
                watched.append(try ReachabilityInterface.MonitorTarget(varlink: call.parameters))
                if let pathRefusal { return call.fail(pathRefusal.rawValue, message: "Not for you.") }
                watchers.append(call)
                sendTarget(call)
            case ReachabilityInterface.Method.reportTarget.rawValue:
                outcomes.append(call.parameters["outcome"]?.stringValue ?? "")
                call.reply { _ in }
            case LocationInterface.Method.monitorAuthorization.rawValue:
                authorizationWatchers.append(call)
                reportAuthorization(call)
            case LocationInterface.Method.getAuthorization.rawValue: reportAuthorization(call)
            case let name where RegionsInterface.Method(rawValue: name) != nil:
                try regions.handle(call, isPermitted: refusal == nil && accuracy == .full)
            default: Issue.record("unexpected call of \(call.request.method)")
            }
        } catch {
            Issue.record("\(call.request.method): \(error)")
        }
    }

    private func store(_ change: @escaping @DaemonActor () -> Void) {
        if answersStores { change() } else { unanswered.append(change) }
    }

    private func start(_ call: Call) {
        starts += 1
        let recording = KnownRecording(
            uid: 0, app: "waymark-upload", identifier: "home", id: id, options: RecordingOptions(), isStarted: true,
            state: state, startedAt: 0, last: last, acknowledged: cursor, sent: sent, filtered: filtered)
        call.reply(EncodedReply(RecordingInterface.Start.Reply(recording: recording)))
    }

    private func read(_ call: Call, _ request: RecordingInterface.Read) {
        reads.append(request)
        if let refusal { return call.fail(refusal.rawValue, message: "You may not.") }
        guard request.after < last || request.wait != true else { return waitingReads.append((call, request)) }
        answer(call, request)
    }

    private func answer(_ call: Call, _ request: RecordingInterface.Read) {
        let numbers =
            request.after < last
            ? Array(
                ((request.after + 1)...last).lazy.filter { self.deadLetters[$0] == nil }
                    .prefix(min(Int(request.limit ?? 200), mostInOneReply)).filter { !self.unreadable.contains($0) })
            : []
        call.reply { writer in
            writer.member("id", id.description)
            writer.array("points") { writer in
                for number in numbers {
                    writer.object { writer in
                        writer.member("sequence", number)
                        writePosition(number, to: &writer)
                    }
                }
            }
            writer.member("last", last)
            writer.member("acknowledged", cursor)
        }
    }

    private func writePosition(_ number: Int64, to writer: inout JSONWriter) {
        guard let position = Self.position(number) else { return }
        writer.object("position") { writer in
            writer.member("timestamp", position.timestamp)
            writer.member("latitude", position.coordinate.latitude)
            writer.member("longitude", position.coordinate.longitude)
            writer.member("horizontalAccuracy", position.horizontalAccuracy)
            writer.member("accuracy", "full")
            writer.member("isSimulated", false)
        }
    }

    private func readRejected(_ call: Call, _ request: RecordingInterface.ReadRejected) {
        let numbers = deadLetters.keys.filter { $0 > request.after }.sorted().prefix(Int(request.limit ?? 16))
        call.reply { writer in
            writer.array("deadLetters") { writer in
                for number in numbers {
                    writer.object { writer in
                        writer.member("sequence", number)
                        writePosition(number, to: &writer)
                        writer.member("status", deadLetters[number]?.status)
                        writer.member("message", deadLetters[number]?.message)
                        writer.member("rejectedAt", 1.0)
                    }
                }
            }
        }
    }

    private func attach(_ call: Call) {
        if let attachRefusal { return call.fail(attachRefusal.rawValue, message: "Another one is there.") }
        attached.append(call)
        call.reply(continues: true) { UploadsInterface.Attach.Reply(isPaused: isPaused).writeMembers(to: &$0) }
    }

    private func sendTarget(_ call: Call) {
        call.reply(continues: true) { writer in
            writer.key("target")
            target.write(to: &writer)
        }
    }

    private func reportAuthorization(_ call: Call) {
        let authorization = AppAuthorization(
            status: refusal == nil ? .authorizedAlways : .denied, accuracy: accuracy)
        call.reply(continues: true) { writer in
            writer.key("authorization")
            authorization.write(to: &writer)
        }
    }
}
