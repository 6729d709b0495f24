import Location

/// The policy's state of one app.
struct AppState {
    /// The state of a temporary full accuracy, which ends when the app is no longer in use.
    enum TemporaryAccuracy: Equatable {
        case none, refused, inForce
        case awaiting(Policy.Token)
    }

    /// An unanswered prompt.
    struct OpenPrompt {
        var prompt: Prompt
        /// Whether an agent shows it; otherwise it is only listed.
        var isShown = false
        /// The calls that are answered when the prompt ends.
        var waiting: [Policy.RequestID] = []
        /// The processes that have requested it. Each may do so once: this bounds `waiting`.
        var requesters: Set<Policy.ProcessID> = []
    }

    /// The stored decision, with changes that are not durable yet.
    var decisions = Ledger(durable: Grant()) {
        didSet { inForce = decisions.inForce.extent }
    }
    /// What is in effect: never more than the durable decision permits.
    private(set) var inForce = Extent()
    /// Whether the person was asked about Always, even if that could not be stored.
    var wasAskedAlways = false
    var temporary = TemporaryAccuracy.none
    var manifest: Manifest?
    var isRestricted: Bool
    /// The names of all manifests that fitted its last process; used while it has no process.
    var lastFitted: Set<String> = []
    var processes: Set<Policy.ProcessID> = []
    var isInUse = false
    /// When an authorization for once ends, in nanoseconds of CLOCK_MONOTONIC.
    var lapsesAt: UInt64?
    /// What may continue from before a restart.
    var returning: Returning?
    /// Since when full positions have been permitted without interruption, in nanoseconds of CLOCK_MONOTONIC; nil while
    /// they are not permitted.
    var fullSince: UInt64?
    /// The unanswered prompts.
    var openPrompts: [Prompt.Subject: OpenPrompt] = [:]
    /// The stored decision about tracking, with changes that are not durable yet.
    var tracking = Ledger(durable: TrackingGrant())
    /// Whether a prompt to confirm Always was raised since the app was last in use: one is enough.
    var wasAskedInBackground = false
    /// The authorization state last reported to the app.
    var reported: (authorizationState: AuthorizationState, refusal: Decision.Reason?)?

    init(manifest: Manifest?, isRestricted: Bool) {
        self.manifest = manifest
        self.isRestricted = isRestricted
    }

    /// The unanswered prompt about positions.
    var openPrompt: OpenPrompt? { openPrompts[.positions] }

    /// The last decision, whether or not it is durable.
    var grant: Grant {
        var grant = decisions.decided
        grant.wasAskedAlways = wasAskedAlways
        return grant
    }

    /// Whether an authorization for once waits for a process from before a restart; until then it is not in effect.
    var awaitsReturn: Bool { returning.map { $0.continuation.isOnce && !$0.isBack } ?? false }

    /// The last transaction with a decision about the app that may still become durable.
    var awaited: Policy.Token? { [decisions.awaited, tracking.awaited].compactMap(\.self).max() }

    /// Whether the state equals that of an unknown app, so that it can be removed.
    var isForgettable: Bool {
        processes.isEmpty && openPrompts.isEmpty && decisions.isSettled && grant == Grant() && tracking.isSettled
            && tracking.decided == TrackingGrant()
    }
}

/// The policy's state of one process.
struct ProcessState {
    var process: Policy.Process
    /// The binding of the manifest by which it was identified.
    let binding: ManifestBinding
    var activity = Activity.background
    var isFrozen = false
    var holds: Set<Policy.HoldID> = []

    /// Whether the process makes its app count as in use.
    func isInUse(user: UserState, manifest: Manifest?) -> Bool {
        if isFrozen || activity == .suspended { return false }
        if !holds.isEmpty { return true }
        guard process.isInSession else { return manifest?.isAlwaysInUse ?? false }
        return (activity == .active || activity == .inactive) && user == .active
    }
}
