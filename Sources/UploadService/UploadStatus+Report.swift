import Interfaces
import Location
import Upload

extension UploadStatus {
    /// The status of an uploader, for the daemon. Of the address it contains scheme, host and port, and nothing that
    /// may be a secret or a position.
    ///
    /// `message` is text for people in addition to the state, `lastSuccess` the time of the last acknowledgement by the
    /// destination in seconds since 1970.
    init(
        _ report: UploadReport, _ setup: UploadProcess.Setup, message: String?, lastSuccess: Double?,
        regions: RegionAccess = .closed(nil), at now: Instant
    ) {
        let configuration = setup.configuration
        let (state, reason) = report.state.words
        self.init(state: state, reason: reason)
        self.message = message ?? report.state.advice(configuration.credential, setup.renewal)
        nextAttempt = report.state.nextAttempt.map { until in
            let wait = until > now.monotonicNanoseconds ? until - now.monotonicNanoseconds : 0
            return now.utc.secondsSinceEpoch + Double(wait) / 1e9
        }
        if case .backingOff(_, let attempt, _) = report.state { self.attempt = attempt }
        if let since = report.unansweredSince {
            self.reason = .noAnswer
            let time = now.monotonicNanoseconds - min(since, now.monotonicNanoseconds)
            unansweredSince = now.utc.secondsSinceEpoch - Double(time) / 1e9
        }
        format = configuration.destination.format?.name
        destination = configuration.destination.url?.origin
        sent = report.sentInAll
        rejected = Int64(clamping: report.rejected)
        filtered = report.filteredInAll
        commands = Int64(clamping: report.commands)
        ignoredCommands = Int64(clamping: report.ignoredCommands)
        lastStatus = report.lastStatus
        self.lastSuccess = lastSuccess
        self.regions = UploadsInterface.RegionMessages(report, setup.regions, regions)
    }
}

/// Whether the daemon sends the events of an uploader's regions.
enum RegionAccess: Equatable {
    case open
    /// Not at present, with the reason for people if there is one.
    case closed(String?)
}

extension UploadsInterface.RegionMessages {
    /// What the uploader does about regions; nil if its destination has none.
    fileprivate init?(_ report: UploadReport, _ plan: RegionPlan, _ access: RegionAccess) {
        let (state, message): (UploadsInterface.RegionsState, String?)
        switch (plan, access) {
        case (.none, _): return nil
        case (.unusable, _): (state, message) = (.unusable, plan.problem)
        case (.regions, .closed(let reason)): (state, message) = (.withheld, reason)
        case (.regions, .open):
            if let status = report.regionRefusal {
                state = .refused
                message =
                    "the destination has refused a message about a region (\(status)): it is sent once more after the next"
                    + " position"
            } else {
                (state, message) = (.monitored, nil)
            }
        }
        self.init(
            state: state, message: message, regions: Int64(plan.count), sent: Int64(clamping: report.regionMessages),
            pending: Int64(report.pendingRegionMessages), skipped: Int64(clamping: report.skippedRegionEvents),
            refused: Int64(clamping: report.refusedRegionMessages))
    }
}

extension UploadState {
    /// The state and its reason in the words of `io.waymark.Uploads`.
    var words: (state: UploadsInterface.State, reason: UploadsInterface.Reason?) {
        switch self {
        case .idle: (.idle, nil)
        case .waitingForRecording: (.waitingForRecording, nil)
        case .waitingForPath(let reason): (.waitingForPath, reason.map { .init(rawValue: $0.rawValue) })
        case .deferred(let cost, _): (.deferred, .init(rawValue: cost.rawValue))
        case .sending: (.sending, nil)
        case .backingOff(_, _, let failure): (.backingOff, .init(rawValue: failure.word))
        case .blocked(let reason, _): (.blocked, .init(rawValue: reason.word))
        case .paused: (.paused, nil)
        }
    }

    /// The time of the next attempt, nanoseconds of the monotonic clock; nil if it is unknown.
    var nextAttempt: UInt64? {
        switch self {
        case .deferred(_, let until), .backingOff(let until, _, _): until
        case .blocked(_, let until): until == .max ? nil : until
        case .idle, .waitingForRecording, .waitingForPath, .sending, .paused: nil
        }
    }

    /// Whether the state is an obstacle to sending.
    var isObstacle: Bool {
        switch self {
        case .idle, .sending: false
        case .waitingForRecording, .waitingForPath, .deferred, .backingOff, .blocked, .paused: true
        }
    }

    /// What a person can do about the state; nil if there is nothing to do.
    func advice(_ credential: UploadConfiguration.CredentialReference, _ renewal: CredentialRenewal) -> String? {
        switch self {
        case .backingOff(_, _, let failure): failure.advice
        case .blocked(let reason, _): reason.advice(credential, renewal)
        case .paused: "run `waymark uploads resume` to continue"
        case .idle, .waitingForRecording, .waitingForPath, .deferred, .sending: nil
        }
    }
}

extension UploadFailure {
    /// The word of `io.waymark.Uploads` for the failure.
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
        case .status(let status): "the destination has replied \(status)"
        case .captive: "a web page came in place of a response: this network may require a sign-in"
        case .wrongAnswer(let status):
            "the destination has replied \(status), but without the acknowledgement of its format: check Format=, and the"
                + " secret of a webhook"
        // The destination's own text may repeat a position.
        case .refused: "the destination has reported an error: see its own log"
        case .broker(let code): "the broker has replied \(code)"
        case .tls(let fault): fault.explanation
        case .nameLookup: "the name cannot be resolved"
        case .connect: "no connection to the destination is possible: check that its server runs, and the port in URL="
        case .connectionLost: "the connection was closed before a response"
        case .timedOut: "no response arrived in time"
        }
    }
}

extension BlockReason {
    /// The word of `io.waymark.Uploads` for the reason.
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
        case .moved(let status): "the destination has moved (\(status)): change URL="
        case .onlyPositionRejected(let status):
            "the destination has refused the only pending position (\(status)):"
                + " it is tried again with the next one, which shows whether the position is the reason"
        case .everythingRejected(let status):
            "the destination refuses every position (\(status)): check URL= and Format="
        case .broker(let code):
            "the broker refuses this client (\(code)): correct [MQTT] or the credential, then \(renewal.instruction)"
        case .notConfigured: "the configuration is incomplete: `waymark-upload --check` shows what is missing"
        }
    }
}

extension UploadConfiguration.CredentialReference {
    /// What a person can do if the destination replies with this status that it does not accept the sender.
    fileprivate func advice(_ status: Int, _ renewal: CredentialRenewal) -> String {
        // The credential of Kind=, or without one the secret of the address.
        let name = kind == .none ? secret : self.name
        guard !name.isEmpty else {
            return "the destination requires a credential (\(status)): set Kind= and Name= in [Credential], add"
                + " LoadCredential=NAME:FILE to the service (`systemctl edit`), then \(renewal.instruction)"
        }
        return "the destination does not accept the credential \(name) (\(status)): correct its file, then"
            + " \(renewal.instruction)"
    }
}
