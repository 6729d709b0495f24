import CommandLineKit
import Durations
import Interfaces
import JSONText
import Platform
import Varlink

/// An operator's command to an upload.
struct UploadOrder {
    private let session: Session
    private let choice: UploadChoice

    init(_ session: Session) throws(CommandFailure) {
        self.session = session
        choice = try UploadChoice(session)
    }

    /// Sends the command to the daemon, and prints the resulting state.
    func perform(_ method: UploadsInterface.Method) throws(CommandFailure) {
        let (upload, bytes) = try report(method)
        if session.isJSON { return try session.print(json: bytes) }
        try session.print(sentence: sentence(method, upload))
    }

    private func report(_ method: UploadsInterface.Method) throws(CommandFailure) -> (KnownUpload, [UInt8]) {
        let (name, app, uid) = (choice.name, choice.app, choice.uid)
        switch method {
        case .pause: return try report(UploadsInterface.Pause(name: name, app: app, uid: uid), \.upload)
        case .resume: return try report(UploadsInterface.Resume(name: name, app: app, uid: uid), \.upload)
        case .retryRejected: return try report(UploadsInterface.RetryRejected(name: name, app: app, uid: uid), \.upload)
        default: return try report(UploadsInterface.Flush(name: name, app: app, uid: uid), \.upload)
        }
    }

    private func report<Method: VarlinkMethod>(
        _ method: Method, _ upload: KeyPath<Method.Reply, KnownUpload>
    ) throws(CommandFailure) -> (KnownUpload, [UInt8]) {
        let reply: MethodReply<Method>
        do throws(VarlinkError) { reply = try session.daemon.attempt(method) } catch {
            throw Self.failure(error, choice, session.socketPath)
        }
        return (reply.value[keyPath: upload], try reply.bytes(of: "upload"))
    }

    /// The failure for an error of the daemon.
    static func failure(_ error: VarlinkError, _ choice: UploadChoice, _ socketPath: String) -> CommandFailure {
        guard case .reply(let name, let details) = error, let known = ErrorName(rawValue: name) else {
            return CommandFailure(error, socketPath: socketPath)
        }
        let message = details["message"]?.stringValue ?? ""
        switch known {
        case .uploadsNoSuchUpload:
            return .failed(
                name: name,
                message:
                    "There is no upload \(choice.name): no such uploader has ever attached. `waymark uploads` lists all"
                    + " uploads.", .failure)
        case .uploadsNotRunning:
            return .failed(
                name: name,
                message: "\(message) It may be waymark-upload@\(choice.name): sudo systemctl start"
                    + " waymark-upload@\(choice.name)", .failure)
        case .uploadsAppNeeded:
            return .failed(
                name: name, message: "\(message) Add --app APP, and --user USER if several users have it.", .usage)
        default: return CommandFailure(error, socketPath: socketPath)
        }
    }

    private func sentence(_ method: UploadsInterface.Method, _ upload: KnownUpload) -> String {
        switch method {
        case .pause: "\(upload.name) is paused, with \(waiting(upload))."
        case .resume where upload.isRunning: "\(upload.name) is resumed, with \(waiting(upload))."
        case .resume: "\(upload.name) resumes once its uploader runs, with \(waiting(upload))."
        case .retryRejected:
            "\(upload.name) tries \(Measure.count(upload.deadLetters, "dead letter")) once more."
        default: "\(upload.name) sends pending positions: \(waiting(upload))."
        }
    }

    private func waiting(_ upload: KnownUpload) -> String {
        "\(Measure.count(upload.waiting, "position")) waiting"
    }

    // Flush

    /// Requests a flush, and waits until it is done.
    func flush() throws(CommandFailure) {
        let invocation = session.invocation
        let stays = !invocation.has("no-wait")
        guard stays || !invocation.isGiven("timeout") else {
            throw .usage(
                "--timeout limits the wait, and --no-wait omits it: give only one of them.", command: "uploads flush")
        }
        guard stays else { return try perform(.flush) }
        let interruption = try session.interruption()
        // The stream is opened first, so that no change is missed.
        let stream = try session.daemon.stream(UploadsInterface.Monitor(), until: interruption)
        let (upload, _) = try report(.flush)
        let seconds = invocation.number("timeout")
        var progress = FlushProgress(upload)
        let start = session.clock.monotonicNanoseconds
        let end = seconds.map { session.clock.monotonicNanoseconds.after(.seconds($0)) }
        while true {
            let left = end.map {
                Duration.nanoseconds(Int64(clamping: $0 - min($0, session.clock.monotonicNanoseconds)))
            }
            if left == .zero {
                throw .failed(
                    "TimedOut", "Gave up after \(Measure.age(seconds ?? 0)): \(progress.sentence)", .notReachable)
            }
            switch try stream.next(timeout: min(left ?? .seconds(1), .seconds(1))) {
            case .reply(let reply):
                for upload in try reply.read(as: UploadsInterface.Monitor.self).uploads { progress.apply(upload) }
            case .nothing: break
            case .ended: throw .failed("Disconnected", "The Waymark daemon closed the connection.", .notRunning)
            }
            session.remarks.progress(progress.text)
            let time = Duration.nanoseconds(Int64(clamping: session.clock.monotonicNanoseconds - start))
            if let outcome = progress.outcome(after: time) { return try report(outcome, progress) }
        }
    }

    private func report(_ outcome: FlushProgress.Outcome, _ progress: FlushProgress) throws(CommandFailure) {
        session.remarks.endProgress()
        switch outcome {
        case .done:
            if session.isJSON {
                var writer = JSONWriter()
                progress.upload.write(to: &writer)
                return try session.print(json: writer.bytes)
            }
            try session.print(sentence: progress.sentence)
        case .stuck: throw .failed("NotSent", progress.sentence, .notReachable)
        }
    }
}

/// The progress of a flush. It concerns the positions that were pending at its beginning, not those recorded meanwhile.
struct FlushProgress {
    /// The result.
    enum Outcome: Equatable {
        case done
        /// It cannot continue by itself soon.
        case stuck
    }

    /// The state of the upload.
    private(set) var upload: KnownUpload
    private let first: KnownUpload
    /// Whether the uploader has reported since the command that nothing is left to be sent.
    private var isDrained = false

    /// For this time after the command, a state that the command does not change, such as a missing route, may still be
    /// an earlier one, because the state is reported at most twice a second.
    static let grace = Duration.seconds(3)
    /// The failures in a row after the command that count as stuck: a single one may be the end of an earlier attempt.
    static let failures = 2

    init(_ upload: KnownUpload) {
        self.upload = upload
        first = upload
    }

    /// Records the new state, if it is the state of this upload.
    mutating func apply(_ new: KnownUpload) {
        guard (new.name, new.app, new.uid) == (first.name, first.app, first.uid) else { return }
        upload = new
        // An uploader that has acknowledged positions since the command, and is idle, has nothing more to send: positions
        // that its filter has left out are recorded meanwhile, so that some are always waiting.
        isDrained =
            isDrained || new.isRunning && !new.isPaused && new.status.state == .idle && new.waiting < first.waiting
    }

    /// The positions that were sent, rejected or left out by the filter since the command.
    private var settled: Int64 {
        settled(\.sent) + settled(\.rejected) + settled(\.filtered)
    }

    private func settled(_ count: KeyPath<UploadStatus, Int64>) -> Int64 {
        max(0, upload.status[keyPath: count] - first.status[keyPath: count])
    }

    private var isDone: Bool { upload.waiting == 0 || isDrained || settled >= first.waiting }

    /// The result after this time; nil while the flush continues. Only a failure after the command counts: the command
    /// causes an immediate attempt, as if none had failed before, so the time of the next attempt differs then, however
    /// long the attempt lasts.
    func outcome(after time: Duration) -> Outcome? {
        if isDone { return .done }
        if !upload.isRunning || upload.isPaused { return .stuck }
        let status = upload.status
        return switch status.state {
        case .backingOff where wasTried && status.attempt >= Self.failures: .stuck
        case .blocked where wasTried: .stuck
        // An attempt cannot change this state.
        case .blocked where status.nextAttempt == nil && time >= Self.grace: .stuck
        case .waitingForPath where time >= Self.grace, .waitingForRecording where time >= Self.grace: .stuck
        default: nil
        }
    }

    /// Whether the reported state follows an attempt since the command. The time of the next attempt is in the system's
    /// clock, which may be adjusted a little.
    private var wasTried: Bool {
        guard let next = upload.status.nextAttempt, let before = first.status.nextAttempt else {
            return upload.status.nextAttempt != nil
        }
        return upload.status.attempt != first.status.attempt || abs(next - before) > 0.05
    }

    /// One line, to be overwritten.
    var text: String {
        "\(upload.name): \(Measure.grouped(min(settled, first.waiting))) of \(Measure.grouped(first.waiting)) sent,"
            + " \(UploadStateText(upload: upload).word)"
    }

    /// The state, in a sentence.
    var sentence: String {
        let name = upload.name
        guard !isDone else {
            let rejected = upload.status.rejected - first.status.rejected
            let refused = rejected > 0 ? ", \(Measure.grouped(rejected)) of them rejected" : ""
            if first.waiting == 0 { return "\(name): no position was pending." }
            let delivered = min(first.waiting, settled(\.sent) + settled(\.rejected))
            guard upload.status.filtered > 0, delivered < first.waiting else {
                return "\(name): \(Measure.count(first.waiting, "position")) sent\(refused)."
            }
            let left = Measure.count(first.waiting - delivered, "position")
            return delivered == 0
                ? "\(name): nothing was to be sent; its filter has left out \(left)."
                : "\(name): \(Measure.count(delivered, "position")) sent\(refused); its filter has left out \(left)."
        }
        let reason = UploadStateText(upload: upload).sentence ?? "it is still sending."
        return
            "\(name): \(Measure.count(upload.waiting, "position")) still \(upload.waiting == 1 ? "waits" : "wait"): \(reason)"
    }
}
