import Interfaces
import JSONText
import Location
import NetworkPaths
import Platform
import Upload
import Varlink

/// An uploader's side of the daemon: its recording, what operators want, and the way to its destination.
///
/// It has a connection for reads, which may wait long, one for everything that is stored or reported, one on which it
/// hears operators, one on which it hears of the way, and one on which it hears that the recording may be read no longer,
/// or again. Where one ends all do, and they are made anew after a pause.
@DaemonActor
public final class DaemonLink {
    /// Called with what happens.
    public var onEvent: (@DaemonActor (DaemonEvent) -> Void)?
    /// Called when something that was stored or reported has been answered.
    public var onAnswer: (@DaemonActor () -> Void)?

    private enum State {
        /// Not connected, and why, once that is known.
        case disconnected
        /// Connected; nobody has said yet whether there is a pause.
        case attaching
        /// The recording is being started.
        case starting
        /// The recording can be read.
        case open
        /// The daemon does not let it be read.
        case withheld
    }

    private let name: String
    private let socketPath: String
    private let options: RecordingOptions
    private let clock: any TimeSource
    private var state = State.disconnected
    private var reader: LoopClient?
    private var storer: LoopClient?
    private var listener: LoopClient?
    private var watcher: LoopClient?
    /// Hears that the recording may be read no longer while it is open, and that it may be again while it is withheld.
    private var guardian: LoopClient?
    /// The one that is open, or was last.
    private var recording: RecordingID?
    private var target: ReachabilityInterface.MonitorTarget?
    private var retryTimer: TimerSource?
    private var pathTimer: TimerSource?
    private var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(15))
    private var isClosed = false

    /// How long the daemon may take for an answer that does not wait for anything.
    private static let patience = Duration.seconds(60)
    /// How often it is tried again what nobody tells the end of.
    private static let retry = Duration.seconds(60)

    /// A link for the recording of this name, over this socket, once it is opened.
    public init(
        name: String, socketPath: String, options: RecordingOptions = RecordingOptions(),
        clock: any TimeSource = SystemClock()
    ) throws(SystemError) {
        self.name = name
        self.socketPath = socketPath
        self.options = options
        self.clock = clock
        retryTimer = try TimerSource(accuracy: .milliseconds(20)) { [weak self] in self?.retryNow() }
        pathTimer = try TimerSource(accuracy: .seconds(1)) { [weak self] in self?.watchPath() }
    }

    /// Whether calls wait for an answer that matters: something is being stored.
    public var isStoring: Bool { (storer?.callsWaiting ?? 0) > 0 }

    /// Connects, now or as soon as the daemon is there.
    public func open() {
        guard state == .disconnected, !isClosed else { return }
        connect()
    }

    /// Tries at once what is waited for.
    public func retryNow() {
        guard !isClosed else { return }
        retryTimer?.disarm()
        switch state {
        case .disconnected: connect()
        case .withheld: start()
        case .attaching, .starting, .open: break
        }
    }

    /// Ends all connections; nothing is told any more.
    public func close() {
        isClosed = true
        onEvent = nil
        onAnswer = nil
        disconnect()
        retryTimer?.cancel()
        pathTimer?.cancel()
    }

    // The recording

    /// Reads positions.
    public func read(_ request: ReadRequest) {
        guard let reader, state == .open else { return }
        let method = RecordingInterface.Read(
            identifier: name, after: request.after, limit: min(Int64(request.limit), RecordingPage.mostPositions),
            wait: request.waits)
        let read = { (reader: inout JSONReader) throws(JSONError) in try RecordingPage(reading: &reader) }
        reader.call(
            EncodedCall(method), timeout: request.waits ? nil : Self.patience, reading: read
        ) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let page) where page.id == recording:
                notify(.read(request, RecordedPage(page.points, last: page.last)))
            case .success: retryLater(isWithdrawn: true, "the recording is another one")
            case .failure(let error): recordingFailed(error)
            }
        }
    }

    /// Reads dead letters.
    public func readRejected(after: Int64, limit: Int) {
        store(RecordingInterface.ReadRejected(identifier: name, after: after, limit: Int64(limit))) {
            [weak self] reply in
            guard let self, let recording else { return }
            notify(.readRejected(RejectedPage(reply?.deadLetters ?? [], of: recording)))
        }
    }

    /// Stores how far all is settled.
    public func acknowledge(upTo number: Int64) {
        store(RecordingInterface.Acknowledge(identifier: name, upTo: number)) { [weak self] _ in
            self?.notify(.acknowledged(upTo: number))
        }
    }

    /// Stores that a position is a dead letter.
    public func reject(_ number: Int64, _ letter: DeadLetter) {
        let method = RecordingInterface.Reject(
            identifier: name, sequence: number, status: Int64(letter.status), message: letter.message)
        store(method) { [weak self] _ in self?.notify(.rejected(number)) }
    }

    /// Stores that a dead letter has been taken after all.
    public func revive(_ number: Int64) {
        store(RecordingInterface.Revive(identifier: name, sequence: number)) { _ in }
    }

    /// Calls what changes the recording. A position that the recording has no longer needs no change.
    private func store<Method: VarlinkMethod>(
        _ method: Method, _ done: @escaping @DaemonActor (Method.Reply?) -> Void
    ) {
        guard let storer, state == .open else { return }
        storer.call(method, timeout: Self.patience) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let reply): done(reply)
            case .failure(.reply(ErrorName.recordingNoSuchPosition.rawValue, _)): done(nil)
            case .failure(let error): recordingFailed(error)
            }
            onAnswer?()
        }
    }

    // What others are told

    /// Tells how the uploader stands; calls back once the daemon has heard it, or has not.
    public func report(_ status: UploadStatus, _ done: @escaping @DaemonActor () -> Void) {
        guard let storer, state != .disconnected, state != .attaching else { return DaemonActor.post { done() } }
        storer.call(UploadsInterface.Report(name: name, status: status), timeout: Self.patience) { [weak self] _ in
            guard let self else { return }
            done()
            onAnswer?()
        }
    }

    /// Tells what came of trying to reach the destination.
    public func report(_ outcome: ReportedOutcome) {
        guard let storer, let target else { return }
        let report = ReachabilityInterface.ReportTarget(host: target.host, port: target.port, outcome: outcome)
        storer.call(report, timeout: Self.patience) { [weak self] _ in self?.onAnswer?() }
    }

    // The way

    /// Hears of the way to another destination from now on.
    public func watch(_ target: ReachabilityInterface.MonitorTarget?) {
        self.target = target
        guard state != .disconnected else { return }
        watchPath()
    }

    private func watchPath() {
        watcher?.close()
        watcher = nil
        pathTimer?.disarm()
        guard let target, state != .disconnected, let client = connection() else { return }
        watcher = client
        client.stream(target, timeout: Self.patience) { [weak self] result, continues in
            guard let self else { return }
            switch result {
            case .success(let reply):
                notify(.path(reply.target))
                if !continues { pathTimer?.arm(after: Self.retry, clock: clock) }
            case .failure(.reply):
                // Another network, too many hosts, no routing sockets: it is tried without being told.
                notify(.pathUnavailable)
                pathTimer?.arm(after: Self.retry, clock: clock)
            case .failure: break
            }
        }
    }

    // The connection

    private func connect() {
        guard !isClosed else { return }
        state = .attaching
        reader = connection()
        storer = connection()
        listener = connection()
        guard let listener, reader != nil, storer != nil else { return }
        watchPath()
        guard state == .attaching else { return }
        listener.stream(UploadsInterface.Attach(name: name), timeout: Self.patience) { [weak self] in
            self?.attached($0, continues: $1)
        }
    }

    /// Connects once; nil where that fails, which ends the whole link for a while.
    private func connection() -> LoopClient? {
        guard state != .disconnected else { return nil }
        do throws(VarlinkError) {
            let client = try LoopClient(path: socketPath, clock: clock)
            client.onEnd = { [weak self] in self?.fail("the daemon is gone: \($0)") }
            return client
        } catch {
            fail("the daemon does not answer: \(error)")
            return nil
        }
    }

    private func attached(_ result: Result<UploadsInterface.Attach.Reply, VarlinkError>, continues: Bool) {
        switch result {
        case .success(let order):
            // First, so that whoever is told something now can report at once; the recording is not open before the answer.
            if state == .attaching { start() }
            notify(.ordered(order))
            if !continues { fail("the daemon has let the uploader go") }
        case .failure(.protocolViolation): fail("the daemon speaks another language")
        case .failure(let error): if case .reply = error { fail(error.words) }
        }
    }

    private func start() {
        guard let storer else { return }
        state = .starting
        let request = RecordingInterface.Start(identifier: name, options: options)
        storer.call(request, timeout: Self.patience) { [weak self] in self?.started($0) }
    }

    private func started(_ result: Result<RecordingInterface.Start.Reply, VarlinkError>) {
        switch result {
        case .success(let reply):
            let recording = reply.recording
            if let reason = recording.reasonNotToRead { return withhold(reason) }
            if recording.state == "restricted" { requestRead(recording) } else { opened(recording) }
        case .failure(.protocolViolation): fail("the daemon speaks another language")
        case .failure(let error): recordingFailed(error)
        }
    }

    /// What restricts a recording may forbid only to record: a read that has no position to bring tells.
    private func requestRead(_ recording: KnownRecording) {
        let method = RecordingInterface.Read(identifier: name, after: .max, limit: 1)
        storer?.call(method, timeout: Self.patience) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: opened(recording)
            case .failure(let error): recordingFailed(error)
            }
        }
    }

    private func opened(_ recording: KnownRecording) {
        pause.reset()
        state = .open
        self.recording = recording.id
        watchRecording()
        guard state == .open else { return }
        notify(.opened(recording.id, cursor: recording.acknowledged, last: recording.last))
    }

    /// Something about the recording has failed, although the daemon is there.
    private func recordingFailed(_ error: VarlinkError) {
        guard case .reply(let name, _) = error else {
            // Where the connection has ended, that is told by itself.
            if case .system = error { fail("the daemon does not keep up: \(error)") }
            return
        }
        switch ErrorName(rawValue: name) {
        case .denied, .deniedGlobally, .restricted, .notDetermined, .notInUse, .manifestMissing, .accountSuspended,
            .recordingNotAllowed:
            withhold(error.words)
        // The recording can be opened all the same: only a change of the authorization is a reason to try again.
        case .recordingWithheld: withhold(error.words, ignoring: 1)
        // It was erased: what was read of it is not to be sent, and the next one begins.
        case .recordingNoSuchRecording: retryLater(isWithdrawn: true, error.words)
        default: retryLater(isWithdrawn: false, error.words)
        }
    }

    /// Hears at once that the recording may not be read any more, or is gone: where much is held already no other read is
    /// under way that would tell. Nothing comes after the largest number, so this one is answered by an error alone.
    private func watchRecording() {
        guardian?.close()
        guardian = connection()
        let method = RecordingInterface.Read(identifier: name, after: .max, limit: 1, wait: true)
        guardian?.call(method) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: fail("the daemon speaks another language")
            case .failure(let error): recordingFailed(error)
            }
        }
    }

    private func withhold(_ message: String, ignoring count: Int = 0) {
        retryLater(isWithdrawn: true, message, after: Self.retry)
        watchAuthorization(ignoring: count)
    }

    /// The recording cannot be read for now.
    private func retryLater(isWithdrawn: Bool, _ message: String, after delay: Duration? = nil) {
        guard state == .open || state == .starting else { return }
        if state == .open {
            guardian?.close()
            guardian = nil
        }
        state = .withheld
        // What still comes of reads is of no use, and the reader may be held by one that waits.
        reader?.close()
        reader = connection()
        guard state == .withheld else { return }
        notify(.lost(isWithdrawn: isWithdrawn, message: message))
        guard state == .withheld else { return }
        retryTimer?.arm(after: delay ?? pause.next(), clock: clock)
    }

    /// Retries with each report of the app's authorization but the first `count`, so that nobody has to ask all the time.
    private func watchAuthorization(ignoring count: Int) {
        guard state == .withheld, guardian == nil, let client = connection() else { return }
        var ignored = 0
        guardian = client
        client.stream(LocationInterface.MonitorAuthorization(), timeout: Self.patience) { [weak self] result, _ in
            guard case .success = result else { return }
            if ignored < count { ignored += 1 } else { self?.retryNow() }
        }
    }

    private func fail(_ message: String) {
        guard state != .disconnected else { return }
        disconnect()
        notify(.lost(isWithdrawn: false, message: message))
        guard !isClosed, state == .disconnected else { return }
        retryTimer?.arm(after: pause.next(), clock: clock)
    }

    private func disconnect() {
        state = .disconnected
        for client in [reader, storer, listener, watcher, guardian] { client?.close() }
        (reader, storer, listener, watcher, guardian) = (nil, nil, nil, nil, nil)
        retryTimer?.disarm()
        pathTimer?.disarm()
    }

    private func notify(_ event: DaemonEvent) { onEvent?(event) }
}
