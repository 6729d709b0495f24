import Events
import Location

extension Policy {
    /// The reply to a request, to an answer to a prompt, or to a command.
    public enum Reply: Equatable, Sendable {
        /// The app's authorization state: after the person's decision, or at once if nobody had to be asked.
        case authorizationState(AuthorizationState)
        /// Whether the app may track the person, after the person's decision or at once if nobody had to be asked; and, if there is
        /// no decision, why.
        case tracking(TrackingAuthorizationStatus, TrackingObstacle?)
        /// A prompt of the app is already shown.
        case requestInProgress(AuthorizationState)
        /// The manifest lacks the purpose with this key.
        case purposeMissing(key: String)
        /// The request is refused for this reason.
        case refused(Decision.Reason)
        /// The prompt does not exist, or not any more.
        case unknownPrompt
        /// The prompt is another user's.
        case notYours
        /// The prompt does not offer that choice.
        case notOffered
        /// An operator's command that concerns no single app was performed.
        case done
        /// The decision could not be stored. What it withdraws is withdrawn until the next start; what it would permit is
        /// not permitted.
        case notStored
    }

    /// The subject of a reply that waits until a transaction is durable.
    enum ReplySubject {
        case authorization(AppID)
        case tracking(AppID)
        /// An operator's command that concerns no single app.
        case command
    }

    /// An event for the journal, and the change that is stored with it. A record never contains a coordinate.
    public struct Record: Equatable, Sendable {
        /// The change to store.
        public enum Change: Equatable, Sendable {
            /// The app's new grant.
            case grant(Grant)
            /// The app's new decision about tracking.
            case tracking(TrackingGrant)
            /// The person was asked about Always; the rest of the app's grant is unchanged.
            case wasAskedAlways
            /// A prompt was raised, which from now on is the unanswered one of its app about its subject.
            case prompt(Prompt)
            /// The prompt with this number has ended.
            case promptEnded(UInt64)
            /// Whether location services are on.
            case services(isOn: Bool)
        }

        /// The kind of event.
        public var kind: EventKind
        /// The app concerned; nil for all.
        public var app: AppID?
        /// Details by name.
        public var details: [String: String] = [:]
        /// The change to store; nil if there is none.
        public var change: Change?

        /// A record of these parts.
        public init(kind: EventKind, app: AppID?, details: [String: String] = [:], change: Change? = nil) {
            self.kind = kind
            self.app = app
            self.details = details
            self.change = change
        }
    }

    /// An action that the daemon has to perform. The effects of an event are performed in their order.
    public enum Effect: Equatable, Sendable {
        /// Send the reply to a call that waits.
        case reply(RequestID, Reply)
        /// Show the prompt by this agent.
        case show(Prompt, to: AgentID)
        /// Have the agents withdraw the prompt.
        case withdraw(Prompt)
        /// Store all records in one transaction, after the transactions of earlier effects. Then send the policy
        /// `persisted`, or `notPersisted` on failure. What the records permit is in effect only after that; what they
        /// withdraw is withdrawn already.
        case persist(Token, [Record])
        /// Record the event in the journal. The record has no change, and nothing waits for it.
        case note(Record)
        /// Report the new authorization to the app.
        case authorizationChanged(AppID, AuthorizationState)
        /// Deliver nothing more to the app's streams until `resumed`, not even queued positions.
        case paused(AppID, Decision.Reason)
        /// The app's streams may have positions again.
        case resumed(AppID)
        /// The background activity session is refused. Usually the app was not in use when the session began; the process may also
        /// be unknown.
        case holdRefused(HoldID)
        /// The process is not accepted: its app has no manifest, its assurance is too low, or it is attached already.
        case notAttached(ProcessID)
        /// The process is no longer accepted: it has to be identified and attached again.
        case identifyAgain(ProcessID)
        /// Store `continuing` for the next process of the daemon, because it has changed. No other effect waits for this.
        case keepContinuing
        /// Send `timePassed` at this time of CLOCK_MONOTONIC, in nanoseconds, instead of the time of an earlier `arm`; nil
        /// disarms the timer.
        case arm(UInt64?)
    }
}
