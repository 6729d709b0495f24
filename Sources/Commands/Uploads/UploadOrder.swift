import CommandLineKit
import Durations
import Interfaces
import JSONText
import Platform
import Varlink

/// What an operator wants of an upload.
struct UploadOrder {
    private let session: Session
    private let choice: UploadChoice

    init(_ session: Session) throws(CommandFailure) {
        self.session = session
        choice = try UploadChoice(session)
    }

    /// Tells the daemon, and says how the upload stands then.
    func perform(_ method: UploadsInterface.Method) throws(CommandFailure) {
        let (upload, bytes) = try report(method)
        if session.isJSON { return try session.print(json: bytes) }
        try session.print([sentence(method, upload)])
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

    /// What an error of the daemon's means at the command line.
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
                    "There is no upload \(choice.name): no such uploader was ever attached. `waymark uploads` lists"
                    + " those there are.", .failure)
        case .uploadsNotRunning:
            return .failed(
                name: name,
                message: "\(message) It may be waymark-upload@\(choice.name): sudo systemctl start"
                    + " waymark-upload@\(choice.name)", .failure)
        case .uploadsAppNeeded:
            return .failed(
                name: name, message: "\(message) Add --app APP, and --user USER where that is not enough.", .usage)
        default: return CommandFailure(error, socketPath: socketPath)
        }
    }

    private func sentence(_ method: UploadsInterface.Method, _ upload: KnownUpload) -> String {
        switch method {
        case .pause: "\(upload.name) is paused, with \(waiting(upload))."
        case .resume where upload.isRunning: "\(upload.name) goes on, with \(waiting(upload))."
        case .resume: "\(upload.name) goes on once its uploader runs, with \(waiting(upload))."
        case .retryRejected:
            "\(upload.name) tries \(Measure.count(upload.deadLetters, "dead letter")) once more."
        default: "\(upload.name) sends what waits: \(waiting(upload))."
        }
    }

    private func waiting(_ upload: KnownUpload) -> String {
        "\(Measure.count(upload.waiting, "position")) waiting"
    }

    // Flush

    /// Has what waits sent, and stays until that is done.
    func flush() throws(CommandFailure) {
        let invocation = session.invocation
        let stays = !invocation.has("no-wait")
        guard stays || !invocation.isGiven("timeout") else {
            throw .usage("--timeout says how long to stay, and --no-wait not to.", command: "uploads flush")
        }
        guard stays else { return try perform(.flush) }
        let interruption = try session.interruption()
        // Watched from before, so that nothing is missed.
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
            case .ended: throw .failed("Disconnected", "The Waymark daemon ended the connection.", .notRunning)
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
            try session.print([progress.sentence])
        case .stuck: throw .failed("NotSent", progress.sentence, .notReachable)
        }
    }
}

/// How far a flush is: what waited when it began is what it is about, and not what is recorded meanwhile.
struct FlushProgress {
    /// What it came to.
    enum Outcome: Equatable {
        case done
        /// It cannot go on by itself soon.
        case stuck
    }

    /// How the upload stands.
    private(set) var upload: KnownUpload
    private let first: KnownUpload

    /// So long after the order what the order cannot change, such as a missing way, may still be of before: it is told
    /// twice a second at most.
    static let grace = Duration.seconds(3)
    /// How often in a row it has to have failed since the order: once may be the end of what was under way before.
    static let failures = 2

    init(_ upload: KnownUpload) {
        self.upload = upload
        first = upload
    }

    /// Takes how an upload stands now, where it is this one.
    mutating func apply(_ new: KnownUpload) {
        guard (new.name, new.app, new.uid) == (first.name, first.app, first.uid) else { return }
        upload = new
    }

    /// How many positions were sent or refused since the order.
    private var settled: Int64 {
        max(0, upload.status.sent - first.status.sent) + max(0, upload.status.rejected - first.status.rejected)
    }

    private var isDone: Bool { upload.waiting == 0 || settled >= first.waiting }

    /// What it has come to so long after the order; nil while it goes on. A failure counts that is of after the order, which
    /// has it tried at once, as if nothing had failed: the time of the next attempt is another one then, however long the
    /// attempt takes.
    func outcome(after time: Duration) -> Outcome? {
        if isDone { return .done }
        if !upload.isRunning || upload.isPaused { return .stuck }
        let status = upload.status
        return switch status.state {
        case "backingOff" where wasTried && status.attempt >= Self.failures: .stuck
        case "blocked" where wasTried: .stuck
        // Nothing that is tried changes it.
        case "blocked" where status.nextAttempt == nil && time >= Self.grace: .stuck
        case "waitingForPath" where time >= Self.grace, "waitingForRecording" where time >= Self.grace: .stuck
        default: nil
        }
    }

    /// Whether what is told is of an attempt since the order. The next one's time is told by the system's clock, which may
    /// be adjusted a little.
    private var wasTried: Bool {
        guard let next = upload.status.nextAttempt, let before = first.status.nextAttempt else {
            return upload.status.nextAttempt != nil
        }
        return upload.status.attempt != first.status.attempt || abs(next - before) > 0.05
    }

    /// On one line, to be written over.
    var text: String {
        "\(upload.name): \(Measure.grouped(settled)) of \(Measure.grouped(first.waiting)) sent,"
            + " \(UploadStateText(upload: upload).word)"
    }

    /// How it stands, in a sentence.
    var sentence: String {
        let name = upload.name
        guard !isDone else {
            let rejected = upload.status.rejected - first.status.rejected
            let refused = rejected > 0 ? ", \(Measure.grouped(rejected)) of them refused" : ""
            return first.waiting == 0
                ? "\(name): nothing waited." : "\(name): \(Measure.count(first.waiting, "position")) sent\(refused)."
        }
        let reason = UploadStateText(upload: upload).sentence ?? "it still sends."
        return
            "\(name): \(Measure.count(upload.waiting, "position")) still \(upload.waiting == 1 ? "waits" : "wait"): \(reason)"
    }
}
