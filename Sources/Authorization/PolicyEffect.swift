import Events
import Location

extension Policy {
    /// The reply to a call.
    public enum Reply: Equatable, Sendable {
        /// The app's authorization state, after a decision or without one.
        case authorizationState(AuthorizationState)
        /// A prompt of the app is already shown.
        case requestInProgress(AuthorizationState)
        /// The manifest lacks the purpose with this key.
        case purposeMissing(key: String)
        /// The gate refuses it for this reason.
        case refused(Decision.Reason)
        /// The prompt does not exist, or not any more.
        case unknownPrompt
        /// The prompt is another user's.
        case notYours
        /// The prompt does not offer that choice.
        case notOffered
        /// An operator's command for all apps was performed.
        case done
        /// The decision could not be stored: a denial is in effect until the next start, an authorization has no
        /// effect.
        case notStored
    }

    /// An event for the journal; it never has a coordinate.
    public struct Record: Equatable, Sendable {
        /// The change to store.
        public enum Change: Equatable, Sendable {
            /// The app's new grant.
            case grant(Grant)
            /// The person was asked about Always; the rest of the app's grant is unchanged.
            case wasAskedAlways
            /// The unanswered prompt of its app.
            case prompt(Prompt)
            /// A prompt that has ended.
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

    /// An action that the daemon has to perform.
    public enum Effect: Equatable, Sendable {
        case reply(RequestID, Reply)
        case show(Prompt, to: AgentID)
        /// The agents withdraw the prompt.
        case withdraw(Prompt)
        /// Store all of it in one transaction, after all earlier ones. Then send `persisted`, or `notPersisted` on
        /// failure. Grants take effect only after that.
        case persist(Token, [Record])
        /// Record the event in the journal; nothing depends on it.
        case note(Record)
        case authorizationChanged(AppID, AuthorizationState)
        /// Deliver nothing more to the app's streams, not even queued positions.
        case paused(AppID, Decision.Reason)
        case resumed(AppID)
        /// The hold is refused: the app was not in use when it began.
        case holdRefused(HoldID)
        /// The process is not accepted: its app has no manifest, or its assurance is too low.
        case notAttached(ProcessID)
        /// The process is no longer accepted: it has to be identified and attached again.
        case identifyAgain(ProcessID)
        /// `continuing` has changed, and has to be stored for the next process of the daemon, without waiting.
        case keepContinuing
        /// Send `timePassed` at this nanosecond of CLOCK_MONOTONIC; nil disarms the timer.
        case arm(UInt64?)
    }
}
