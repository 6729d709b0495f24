import Location

/// What is known of one app.
struct AppState {
    /// Full accuracy until the app leaves use.
    enum TemporaryAccuracy: Equatable {
        case none, refused, inForce
        case awaiting(Policy.Token)
    }

    /// A prompt that nobody has answered.
    struct OpenPrompt {
        var prompt: Prompt
        /// Whether an agent has it; otherwise it is only listed.
        var isShown = false
        /// The calls that wait for its answer.
        var waiting: [Policy.RequestID] = []
    }

    /// What was decided.
    var decisions = Ledger(durable: Grant()) {
        didSet { inForce = decisions.inForce.extent }
    }
    /// What of it counts already: not more than is durable.
    private(set) var inForce = Extent()
    /// Whether the person was asked about Always, whatever of it could be stored.
    var wasAskedAlways = false
    var temporary = TemporaryAccuracy.none
    var manifest: Manifest?
    var isRestricted: Bool
    /// The names of all manifests that fitted its last process, while it has none.
    var lastFitted: Set<String> = []
    var processes: Set<Policy.ProcessID> = []
    var isInUse = false
    /// When a grant for once ends, in nanoseconds of CLOCK_MONOTONIC.
    var lapsesAt: UInt64?
    /// What may go on of before a restart.
    var returning: Returning?
    /// Since when it may have full positions without a break, in nanoseconds of CLOCK_MONOTONIC; nil while it may not.
    var fullSince: UInt64?
    var openPrompt: OpenPrompt?
    /// Whether Always was to be confirmed since the app was last in use: once is enough.
    var wasAskedInBackground = false
    /// The authorization state last reported to the app.
    var reported: (authorizationState: AuthorizationState, refusal: Decision.Reason?)?

    init(manifest: Manifest?, isRestricted: Bool) {
        self.manifest = manifest
        self.isRestricted = isRestricted
    }

    /// What was decided last.
    var grant: Grant {
        var grant = decisions.decided
        grant.wasAskedAlways = wasAskedAlways
        return grant
    }

    /// Whether what was allowed once waits for a process of before a restart: until then nobody has it.
    var awaitsReturn: Bool { returning.map { $0.continuation.isOnce && !$0.isBack } ?? false }

    /// Whether there is nothing to remember.
    var isForgettable: Bool {
        processes.isEmpty && openPrompt == nil && decisions.isSettled && grant == Grant()
    }
}

/// What is known of one process.
struct ProcessState {
    var process: Policy.Process
    /// The binding of the manifest by which it was identified.
    let binding: ManifestBinding
    var activity = Activity.background
    var isFrozen = false
    var holds: Set<Policy.HoldID> = []

    /// Whether it keeps its app in use.
    func isInUse(user: UserState, manifest: Manifest?) -> Bool {
        if isFrozen || activity == .suspended { return false }
        if !holds.isEmpty { return true }
        guard process.isInSession else { return manifest?.isAlwaysInUse ?? false }
        return (activity == .active || activity == .inactive) && user == .active
    }
}
