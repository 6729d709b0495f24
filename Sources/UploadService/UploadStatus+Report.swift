import Interfaces
import Upload

extension UploadStatus {
    /// How an uploader stands, for the daemon: of the address its scheme, host and port, and nothing that may be a secret
    /// or a position.
    ///
    /// `message` is what is to be said for a person beyond the state, `lastSuccess` when the destination acknowledged
    /// something last, seconds since 1970.
    init(
        _ report: UploadReport, _ setup: UploadProcess.Setup, message: String?, lastSuccess: Double?,
        at now: UploadTime
    ) {
        let configuration = setup.configuration
        let (state, reason) = report.state.words
        self.init(state: state, reason: reason)
        self.message = message ?? report.state.advice(configuration.credential, setup.renewal)
        nextAttempt = report.state.nextAttempt.map { until in
            let wait = until > now.monotonic ? until - now.monotonic : 0
            return now.utc.secondsSinceEpoch + Double(wait) / 1e9
        }
        if case .backingOff(_, let attempt, _) = report.state { self.attempt = attempt }
        if let since = report.unansweredSince {
            self.reason = "noAnswer"
            let time = now.monotonic - min(since, now.monotonic)
            unansweredSince = now.utc.secondsSinceEpoch - Double(time) / 1e9
        }
        format = configuration.destination.format?.name
        destination = configuration.destination.url?.origin
        sent = Int64(clamping: report.sent)
        rejected = Int64(clamping: report.rejected)
        lastStatus = report.lastStatus
        self.lastSuccess = lastSuccess
    }
}

extension UploadState {
    /// The state and its reason in the words of `io.waymark.Uploads`.
    var words: (state: String, reason: String?) {
        switch self {
        case .idle: ("idle", nil)
        case .waitingForRecording: ("waitingForRecording", nil)
        case .waitingForPath(let reason): ("waitingForPath", reason?.rawValue)
        case .deferred(let cost, _): ("deferred", cost.rawValue)
        case .sending: ("sending", nil)
        case .backingOff(_, _, let failure): ("backingOff", failure.word)
        case .blocked(let reason, _): ("blocked", reason.word)
        case .paused: ("paused", nil)
        }
    }

    /// When it is tried again, nanoseconds of the monotonic clock; nil where nobody knows.
    var nextAttempt: UInt64? {
        switch self {
        case .deferred(_, let until), .backingOff(let until, _, _): until
        case .blocked(_, let until): until == .max ? nil : until
        case .idle, .waitingForRecording, .waitingForPath, .sending, .paused: nil
        }
    }

    /// Whether something keeps positions from being sent.
    var isObstacle: Bool {
        switch self {
        case .idle, .sending: false
        case .waitingForRecording, .waitingForPath, .deferred, .backingOff, .blocked, .paused: true
        }
    }

    /// What a person can do about it; nil where there is nothing to do.
    func advice(_ credential: UploadConfiguration.CredentialReference, _ renewal: CredentialRenewal) -> String? {
        switch self {
        case .backingOff(_, _, let failure): failure.advice
        case .blocked(let reason, _): reason.advice(credential, renewal)
        case .paused: "`waymark uploads resume` goes on"
        case .idle, .waitingForRecording, .waitingForPath, .deferred, .sending: nil
        }
    }
}

extension UploadFailure {
    /// The word of `io.waymark.Uploads` for it.
    var word: String {
        switch self {
        case .nameLookup: "nameLookup"
        case .connect: "connect"
        case .tls: "tls"
        case .connectionLost: "connectionLost"
        case .timedOut: "timedOut"
        case .status: "status"
        case .captive: "captive"
        case .wrongAnswer: "wrongAnswer"
        case .refused: "refused"
        case .broker: "broker"
        }
    }

    fileprivate var advice: String {
        switch self {
        case .status(let status): "the destination has answered \(status)"
        case .captive: "a page for people came in place of an answer: does this network want somebody to sign in?"
        case .wrongAnswer(let status):
            "the destination has answered \(status), but not in the words of its format: is Format= right?"
        // Its own words may repeat a position.
        case .refused: "the destination has answered that it did not take it: its own log says why"
        case .broker(let code): "the broker has answered \(code)"
        case .tls(let fault): fault.explanation
        case .nameLookup: "the name cannot be looked up"
        case .connect: "nobody takes the connection"
        case .connectionLost: "the connection ended before an answer"
        case .timedOut: "no answer came in time"
        }
    }
}

extension BlockReason {
    /// The word of `io.waymark.Uploads` for it.
    var word: String {
        switch self {
        case .unauthorized: "unauthorized"
        case .unknownDevice: "unknownDevice"
        case .moved: "moved"
        case .onlyPositionRejected: "onlyPositionRejected"
        case .everythingRejected: "everythingRejected"
        case .broker: "broker"
        case .notConfigured: "notConfigured"
        }
    }

    fileprivate func advice(
        _ credential: UploadConfiguration.CredentialReference, _ renewal: CredentialRenewal
    ) -> String {
        switch self {
        case .unauthorized(let status): credential.advice(status, renewal)
        case .unknownDevice(let status):
            "the destination does not know the device (\(status)): add it there, or change Name= in [Device]"
        case .moved(let status): "the destination is elsewhere now (\(status)): change URL="
        case .onlyPositionRejected(let status):
            "the destination has refused the only position that waits (\(status)):"
                + " it is tried again with the next one, which shows whether the position is the reason"
        case .everythingRejected(let status):
            "the destination takes nothing at all (\(status)): are URL= and Format= right?"
        case .broker(let code):
            "the broker does not accept this client (\(code)): correct [MQTT] or the credential, then \(renewal.instruction)"
        case .notConfigured: "the configuration says not enough: `waymark-upload --check` says what is missing"
        }
    }
}

extension UploadConfiguration.CredentialReference {
    /// What a person can do where the destination answers with this status that it does not accept who sends.
    fileprivate func advice(_ status: Int, _ renewal: CredentialRenewal) -> String {
        let name = kind == .none ? secret : self.name
        guard !name.isEmpty else {
            return "the destination wants a credential (\(status)): set Kind= and Name= in [Credential], add"
                + " LoadCredential=NAME:FILE to the service (`systemctl edit`), then \(renewal.instruction)"
        }
        return "the destination does not accept the credential \(name) (\(status)): correct its file, then"
            + " \(renewal.instruction)"
    }
}
