import Interfaces
import JSONText
import Location
import NetworkPaths
import Platform
import Upload
import Varlink

/// An uploader's connections to the daemon: its recording, operators' commands, and the network path to its
/// destination.
///
/// There are separate connections for reads, which may block for a long time, for stores and reports, for operators'
/// commands, for path reports, and for changes of the permission to read the recording. If one of them ends, all are
/// closed and reopened after a pause.
@DaemonActor
public final class DaemonLink {
    /// Receives the events of the link.
    weak var process: UploadProcess?

    private enum State {
        /// Not connected, with the reason once it is known.
        case disconnected
        /// Connected; the pause status is not known yet.
        case attaching
        /// The recording is being started.
        case starting
        /// The recording is readable.
        case open
        /// The daemon does not permit reading the recording.
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
    private let path: PathWatch
    /// Reports that the recording may no longer be read while it is open, and that it may be read again while it is
    /// withheld.
    private var guardian: LoopClient?
    /// The recording that is open, or was open last.
    private var recording: RecordingID?
    private var retryTimer: TimerSource?
    private var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(15))
    private var isClosed = false

    /// The time limit for a reply to a call that does not block.
    private static let patience = Duration.seconds(60)
    /// The interval of retries after failures whose end is not reported by anything.
    private static let retry = Duration.seconds(60)

    /// The pause before a recording is opened again that was locked, although the daemon reports the data as available.
    private static let availablePause = Duration.seconds(15)

    /// A link for the recording of this name over this socket. It connects when it is opened.
    public init(
        name: String, socketPath: String, options: RecordingOptions = RecordingOptions(),
        clock: any TimeSource = SystemClock()
    ) throws(SystemError) {
        self.name = name
        self.socketPath = socketPath
        self.options = options
        self.clock = clock
        path = try PathWatch(patience: Self.patience, retry: Self.retry, clock: clock)
        retryTimer = try TimerSource(accuracy: .milliseconds(20)) { [weak self] in self?.retryNow() }
        path.connect = { [weak self] in self?.connection() }
        path.onReport = { [weak self] in self?.notify($0) }
    }

    /// Whether a store has no reply yet.
    public var isStoring: Bool { (storer?.callsWaiting ?? 0) > 0 }

    /// Connects now, or as soon as the daemon is available.
    public func open() {
        guard state == .disconnected, !isClosed else { return }
        connect()
    }

    /// Ends the current wait and retries at once.
    public func retryNow() {
        guard !isClosed else { return }
        retryTimer?.disarm()
        switch state {
        case .disconnected: connect()
        case .withheld: start()
        case .attaching, .starting, .open: break
        }
    }

    /// Closes all connections; no event follows.
    public func close() {
        isClosed = true
        process = nil
        disconnect()
        retryTimer?.cancel()
        path.cancel()
    }

    // The recording.

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

    /// Stores the cursor with the counts of the positions that it passes.
    public func acknowledge(_ acknowledgement: Acknowledgement) {
        let method = RecordingInterface.Acknowledge(
            identifier: name, upTo: acknowledgement.upTo, sent: acknowledgement.sent,
            filtered: acknowledgement.filtered)
        store(method) { [weak self] _ in self?.notify(.acknowledged(upTo: acknowledgement.upTo)) }
    }

    /// Stores a position as a dead letter.
    public func reject(_ number: Int64, _ letter: DestinationRefusal) {
        let method = RecordingInterface.Reject(
            identifier: name, sequence: number, status: Int64(letter.status), message: letter.message)
        store(method) { [weak self] _ in self?.notify(.rejected(number)) }
    }

    /// Stores that a dead letter was accepted after all.
    public func revive(_ number: Int64) {
        store(RecordingInterface.Revive(identifier: name, sequence: number)) { [weak self] reply in
            if reply != nil { self?.notify(.revived(number)) }
        }
    }

    /// Makes a call that changes the recording. A position that the recording no longer has needs no change.
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
            notify(.replied)
        }
    }

    // Reports.

    /// Reports the status of the uploader; calls `done` when the report has been delivered or has failed.
    public func report(_ status: UploadStatus, _ done: @escaping @DaemonActor () -> Void) {
        guard let storer, state != .disconnected, state != .attaching else { return DaemonActor.post { done() } }
        storer.call(UploadsInterface.Report(name: name, status: status), timeout: Self.patience) { [weak self] _ in
            guard let self else { return }
            done()
            notify(.replied)
        }
    }

    /// Reports the outcome of an attempt to reach the destination.
    public func report(_ outcome: ReportedOutcome) {
        guard let storer, let target = path.target else { return }
        let report = ReachabilityInterface.ReportTarget(host: target.host, port: target.port, outcome: outcome)
        storer.call(report, timeout: Self.patience) { [weak self] _ in self?.notify(.replied) }
    }

    /// Watches the path to another destination from now on.
    public func watch(_ target: ReachabilityInterface.MonitorTarget?) {
        path.target = target
        if state != .disconnected { path.begin() }
    }

    // The connections.

    private func connect() {
        guard !isClosed else { return }
        state = .attaching
        reader = connection()
        storer = connection()
        listener = connection()
        guard let listener, reader != nil, storer != nil else { return }
        path.begin()
        guard state == .attaching else { return }
        listener.stream(UploadsInterface.Attach(name: name), timeout: Self.patience) { [weak self] in
            self?.attached($0, continues: $1)
        }
    }

    /// Opens a connection; nil if that fails, which closes the whole link until the next retry.
    private func connection() -> LoopClient? {
        guard state != .disconnected else { return nil }
        return LoopClient.daemon(at: socketPath, clock: clock) { [weak self] in self?.fail($0) }
    }

    private func attached(_ result: Result<UploadsInterface.Attach.Reply, VarlinkError>, continues: Bool) {
        switch result {
        case .success(let order):
            // Started first, so that a report that follows from this event can be sent at once; the recording opens
            // with its reply.
            if state == .attaching { start() }
            notify(.ordered(order))
            if !continues { fail("the daemon has detached the uploader") }
        case .failure(.protocolViolation): fail("the daemon's reply is not valid")
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
            if recording.state == .restricted { requestRead(recording) } else { opened(recording) }
        case .failure(.protocolViolation): fail("the daemon's reply is not valid")
        case .failure(let error): recordingFailed(error)
        }
    }

    /// A restriction of a recording may forbid only new positions: a read that returns no position shows whether
    /// reading is permitted.
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
        notify(
            .opened(
                recording.id, cursor: recording.acknowledged, last: recording.last, sent: recording.sent ?? 0,
                filtered: recording.filtered ?? 0))
    }

    /// Handles a failed call about the recording while the daemon is connected.
    private func recordingFailed(_ error: VarlinkError) {
        guard case .reply(let name, _) = error else {
            // A closed connection is reported separately.
            if case .system = error { fail("the daemon does not keep up: \(error)") }
            return
        }
        switch ErrorName(rawValue: name) {
        case .denied, .deniedGlobally, .restricted, .notDetermined, .notInUse, .manifestMissing, .accountSuspended,
            .recordingNotAllowed:
            withhold(error.words)
        // The recording can still be opened: only a change of the authorization is a reason to retry.
        case .recordingWithheld: withhold(error.words, ignoring: 1)
        case .recordingProtectedDataUnavailable:
            retryLater(isWithdrawn: false, error.words, after: Self.retry)
            watchProtection()
        // The recording was erased: positions read from it may not be sent, and the next recording begins.
        case .recordingNoSuchRecording: retryLater(isWithdrawn: true, error.words)
        default: retryLater(isWithdrawn: false, error.words)
        }
    }

    /// Watches for the erasure or withdrawal of the recording. When many positions are buffered, no other read is in
    /// flight that would report it. No position follows the largest number, so this read ends only with an error.
    private func watchRecording() {
        guardian?.close()
        guardian = connection()
        let method = RecordingInterface.Read(identifier: name, after: .max, limit: 1, wait: true)
        guardian?.call(method) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: fail("the daemon's reply is not valid")
            case .failure(let error): recordingFailed(error)
            }
        }
    }

    private func withhold(_ message: String, ignoring count: Int = 0) {
        retryLater(isWithdrawn: true, message, after: Self.retry)
        watchAuthorization(ignoring: count)
    }

    /// Handles a recording that is currently unreadable.
    private func retryLater(isWithdrawn: Bool, _ message: String, after delay: Duration? = nil) {
        guard state == .open || state == .starting else { return }
        if state == .open {
            guardian?.close()
            guardian = nil
        }
        state = .withheld
        // Results of earlier reads are useless now, and the connection may be blocked by a waiting read.
        reader?.close()
        reader = connection()
        guard state == .withheld else { return }
        notify(.lost(isWithdrawn: isWithdrawn, message: message))
        guard state == .withheld else { return }
        retryTimer?.arm(after: delay ?? pause.next(), clock: clock)
    }

    /// Retries with each report of the app's authorization after the first `count`, so that no polling is needed.
    private func watchAuthorization(ignoring count: Int) {
        guard state == .withheld, guardian == nil, let client = connection() else { return }
        var ignored = 0
        guardian = client
        client.stream(LocationInterface.MonitorAuthorization(), timeout: Self.patience) { [weak self] result, _ in
            guard case .success = result else { return }
            if ignored < count { ignored += 1 } else { self?.retryNow() }
        }
    }

    /// Retries when the data is unlocked. Data that is available already is not what was missing, or was just unlocked: then a
    /// pause precedes the next attempt.
    private func watchProtection() {
        guard state == .withheld, guardian == nil, let client = connection() else { return }
        var wasLocked = false
        guardian = client
        client.stream(ProtectionInterface.Monitor(), timeout: Self.patience) { [weak self] result, _ in
            guard let self, case .success(let reply) = result else { return }
            if !reply.isProtectedDataAvailable {
                wasLocked = true
            } else if wasLocked {
                retryNow()
            } else {
                retryTimer?.arm(after: Self.availablePause, clock: clock)
            }
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
        for client in [reader, storer, listener, guardian] { client?.close() }
        (reader, storer, listener, guardian) = (nil, nil, nil, nil)
        path.end()
        retryTimer?.disarm()
    }

    private func notify(_ event: DaemonEvent) { process?.receive(event) }
}
