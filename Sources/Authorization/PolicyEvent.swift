import Location

extension Policy {
    /// The time of an event, by both clocks.
    public struct Instant: Equatable, Sendable {
        /// Nanoseconds of CLOCK_MONOTONIC: for timers.
        public var monotonicNanoseconds: UInt64
        /// For stamps only.
        public var utc: UTCTime

        /// An instant of both clocks.
        public init(monotonicNanoseconds: UInt64, utc: UTCTime) {
            self.monotonicNanoseconds = monotonicNanoseconds
            self.utc = utc
        }
    }

    /// A process of a client, by a number of the caller's that is never used again.
    public typealias ProcessID = UInt64
    /// A background activity session, by a number of the caller's.
    public typealias HoldID = UInt64
    /// A registered agent, by a number of the caller's.
    public typealias AgentID = UInt64
    /// A call that waits for an answer, by a number of the caller's.
    public typealias RequestID = UInt64
    /// What is to become durable together, by a number of the policy's.
    public typealias Token = UInt64

    /// A process that is known to be of an app.
    public struct Process: Equatable, Sendable {
        /// Which one.
        public var id: ProcessID
        /// Of which app it is.
        public var app: AppID
        /// How well that is proved.
        public var assurance: Assurance
        /// Whether it belongs to a login of its user or to the user's service manager. A system service does not.
        public var isInSession: Bool
        /// By what it is known again after a restart; nil where it is not to be.
        public var mark: Continuation.Mark?
        /// The names of all manifests that fit it, and not only of the one whose app it is.
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

    /// What an app asks for.
    public enum Request: Equatable, Sendable {
        case whenInUse, always
        case temporaryFullAccuracy(key: String)
    }

    /// Who answers a prompt.
    public enum Answerer: Equatable, Sendable {
        /// An agent of this user: answers for apps of the same user only.
        case agent(uid: UInt32)
        /// An operator: answers for everybody.
        case `operator`(uid: UInt32)
    }

    /// What an operator commands.
    public enum Command: Equatable, Sendable {
        /// Sets an app's permission, and its accuracy where that is given.
        case set(AppID, Permission, AccuracyAuthorization?)
        /// Forgets what was decided for an app and that it ever asked.
        case reset(AppID)
        /// The same for every app.
        case resetAll
        /// Turns location services on or off.
        case setServices(isOn: Bool)
    }

    /// What happened.
    public enum Event: Equatable, Sendable {
        case requested(RequestID, Request, by: ProcessID)
        /// An answer to a prompt; where `precise` is nil, as the prompt proposes.
        case answered(RequestID, prompt: UInt64, PromptChoice, precise: Bool?, by: Answerer)
        case dismissed(prompt: UInt64, by: Answerer)
        case commanded(RequestID, Command, by: UInt32)
        /// What the effect `persist` of this token named is durable.
        case persisted(Token)
        /// What the effect `persist` of this token named is not durable and never will be. What it widens never takes
        /// effect; what it narrows stays narrowed, though the next start will not know of it.
        case notPersisted(Token)

        /// A process has been identified; it counts as in the background until it says otherwise.
        case attached(Process)
        /// Other manifests fit a process than before: the names of all of them.
        case fitted(ProcessID, Set<String>)
        /// A process was of the same app before a restart, and does what it did then: what its app may have by that it could
        /// have all the time.
        case wentOn(ProcessID)
        case exited(ProcessID)
        case declared(ProcessID, Activity)
        /// The cgroup of a process was frozen or thawed.
        case froze(ProcessID, isFrozen: Bool)
        case holdBegan(HoldID, by: ProcessID)
        /// A session goes on that was begun before a restart, by the same process.
        case holdResumed(HoldID, by: ProcessID)
        case holdEnded(HoldID)
        case userChanged(UInt32, UserState)
        /// A user has come to the machine in person, or left it. Until the first of these a user is not there.
        case presenceChanged(UInt32, isPresent: Bool)
        /// What is stored of a user is not used from now on, or is used again.
        case suspensionChanged(UInt32, isSuspended: Bool)
        /// Everything that was decided for the apps of a user is to be forgotten.
        case accountErased(UInt32, by: Grant.Decider)
        /// A position is due to a provisional Always in the background.
        case positionDue(AppID)

        case agentRegistered(AgentID, uid: UInt32)
        case agentUnregistered(AgentID)
        case manifestsChanged(ManifestCatalogue)
        case restrictionsChanged(Restrictions)
        case minimumAssuranceChanged(Assurance)
        /// The armed deadline has come.
        case timePassed
    }
}
