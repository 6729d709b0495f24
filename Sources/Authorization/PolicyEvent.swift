import Location

extension Policy {
    /// A process of a client. The caller assigns the number and never reuses it.
    public typealias ProcessID = UInt64
    /// A background activity session. The caller assigns the number.
    public typealias HoldID = UInt64
    /// A registered agent. The caller assigns the number.
    public typealias AgentID = UInt64
    /// A call that is to be answered. The caller assigns the number.
    public typealias RequestID = UInt64
    /// A transaction. The policy assigns the number.
    public typealias Token = UInt64

    /// A process that was identified as an app's.
    public struct Process: Equatable, Sendable {
        /// Its number.
        public var id: ProcessID
        /// Its app.
        public var app: AppID
        /// How strongly its identity is proved.
        public var assurance: Assurance
        /// Whether it belongs to a login of its user or to the user's service manager. A system service does not.
        public var isInSession: Bool
        /// How it is recognized after a restart; nil if it is not.
        public var mark: Continuation.Mark?
        /// The names of all manifests that fit it, not only of its app's.
        public var fitted: Set<String>

        /// A process of an app.
        public init(
            id: ProcessID, app: AppID, assurance: Assurance, isInSession: Bool, mark: Continuation.Mark? = nil,
            fitted: Set<String> = []
        ) {
            self.mark = mark
            self.fitted = fitted
            self.id = id
            self.app = app
            self.assurance = assurance
            self.isInSession = isInSession
        }
    }

    /// A request of an app.
    public enum Request: Equatable, Sendable {
        case whenInUse, always
        case temporaryFullAccuracy(key: String)
        case tracking

        /// What its prompt is about.
        public var subject: Prompt.Subject { self == .tracking ? .tracking : .positions }
    }

    /// Who answers a prompt.
    public enum Answerer: Equatable, Sendable {
        /// An agent of this user, which may answer for apps of that user only.
        case agent(uid: UInt32)
        /// An operator, who may answer for all apps.
        case `operator`(uid: UInt32)
    }

    /// An operator's command.
    public enum Command: Equatable, Sendable {
        /// Set an app's permission, and its accuracy if one is given.
        case set(AppID, Permission, AccuracyAuthorization?)
        /// Set whether an app may track the person; nil discards the decision.
        case setTracking(AppID, TrackingGrant.Permission?)
        /// Discard an app's decisions and that it was ever asked.
        case reset(AppID)
        /// The same for every app.
        case resetAll
        /// Turn location services on or off.
        case setServices(isOn: Bool)
    }

    /// An event for the policy.
    public enum Event: Equatable, Sendable {
        case requested(RequestID, Request, by: ProcessID)
        /// An answer to a prompt; if `precise` is nil, with the accuracy that the prompt proposes.
        case answered(RequestID, prompt: UInt64, PromptChoice, precise: Bool?, by: Answerer)
        case dismissed(prompt: UInt64, by: Answerer)
        case commanded(RequestID, Command, by: UInt32)
        /// The transaction of the effect `persist` with this token is durable.
        case persisted(Token)
        /// The transaction of the effect `persist` with this token could not be stored. Its widening never takes
        /// effect; its narrowing remains in effect until the next start, which has no record of it.
        case notPersisted(Token)

        /// A process was identified. It counts as in the background until it declares an activity.
        case attached(Process)
        /// Other manifests fit a process than before: the names of all of them.
        case fitted(ProcessID, Set<String>)
        /// A process existed before the restart and continues as before, so its permission counts as uninterrupted.
        case wentOn(ProcessID)
        case exited(ProcessID)
        case declared(ProcessID, Activity)
        /// The control group of a process was frozen or thawed.
        case froze(ProcessID, isFrozen: Bool)
        case holdBegan(HoldID, by: ProcessID)
        /// A session that was begun before a restart is resumed by the same process.
        case holdResumed(HoldID, by: ProcessID)
        case holdEnded(HoldID)
        case userChanged(UInt32, UserState)
        /// A user has become present at the machine, or absent. Users are absent until this event.
        case presenceChanged(UInt32, isPresent: Bool)
        /// The use of a user's stored data is suspended or resumed.
        case suspensionChanged(UInt32, isSuspended: Bool)
        /// All decisions for the apps of a user are to be discarded.
        case accountErased(UInt32, by: Grant.Decider)
        /// A position is due to an app with a provisional Always in the background.
        case positionDue(AppID)

        case agentRegistered(AgentID, uid: UInt32)
        case agentUnregistered(AgentID)
        case manifestsChanged(ManifestCatalogue)
        case restrictionsChanged(Restrictions)
        case minimumAssuranceChanged(Assurance)
        /// The armed deadline has passed.
        case timePassed
    }
}
