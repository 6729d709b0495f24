import Events
import Location

extension Policy {
    /// The answer to a call.
    public enum Reply: Equatable, Sendable {
        /// The app's authorization state, after what was asked for was decided or was not to be decided.
        case authorizationState(AuthorizationState)
        /// A prompt of the app is being shown already.
        case requestInProgress(AuthorizationState)
        /// The manifest does not say what for: which key it lacks.
        case purposeMissing(key: String)
        /// The gate's reason stands against it.
        case refused(Decision.Reason)
        /// There is no such prompt, or no more.
        case unknownPrompt
        /// The prompt is another user's.
        case notYours
        /// The prompt does not offer that choice.
        case notOffered
        /// Done, for all apps.
        case done
        /// What was decided could not be stored: a no counts until the next start, a yes not at all.
        case notStored
    }

    /// An event for the journal; it never has a coordinate.
    public struct Record: Equatable, Sendable {
        /// What is stored because of it.
        public enum Change: Equatable, Sendable {
            /// The app's grant is this.
            case grant(Grant)
            /// The person was asked about Always; what else there is of the app's grant stays.
            case wasAskedAlways
            /// This prompt is unanswered, and no other of its app.
            case prompt(Prompt)
            /// That prompt is no more.
            case promptEnded(UInt64)
            /// Whether location services are on.
            case services(isOn: Bool)
        }

        /// What happened.
        public var kind: EventKind
        /// To which app; nil where to all of them.
        public var app: AppID?
        /// More about it, by name.
        public var details: [String: String] = [:]
        /// What is to be stored, nil where nothing is.
        public var change: Change?

        /// A record of these parts.
        public init(kind: EventKind, app: AppID?, details: [String: String] = [:], change: Change? = nil) {
            self.kind = kind
            self.app = app
            self.details = details
            self.change = change
        }
    }

    /// What is to be done.
    public enum Effect: Equatable, Sendable {
        case reply(RequestID, Reply)
        case show(Prompt, to: AgentID)
        /// Whoever shows the prompt takes it away.
        case withdraw(Prompt)
        /// All of it is made durable, in one transaction and after everything that was to be made durable before it;
        /// then the policy receives `persisted`, or `notPersisted` where that cannot be. Only then does what was granted take effect.
        case persist(Token, [Record])
        /// The journal records the event; nothing waits for that.
        case note(Record)
        case authorizationChanged(AppID, AuthorizationState)
        /// The app's streams get nothing from now on, not even what is queued.
        case paused(AppID, Decision.Reason)
        case resumed(AppID)
        /// The hold does not count: the app was not in use when it began.
        case holdRefused(HoldID)
        /// The process is not known: its app has no manifest, or its identity is not proved well enough.
        case notAttached(ProcessID)
        /// The process is not known any more: it has to be identified and attached again.
        case identifyAgain(ProcessID)
        /// What is `continuing` has changed, and is to be kept for the next process of the daemon, without waiting.
        case keepContinuing
        /// `timePassed` is due at this nanosecond of CLOCK_MONOTONIC; nil disarms.
        case arm(UInt64?)
    }
}
