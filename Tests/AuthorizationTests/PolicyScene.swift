import Authorization
import Location

/// One app of one active user with an agent, and a policy whose transactions are stored at once, unless a test does
/// otherwise.
struct PolicyScene {
    static let app = AppID(uid: 1000, name: "trailmap")
    static let other = AppID(uid: 1001, name: "trailmap")
    static let binding = ManifestBinding([.userUnit: "app-*trailmap*.scope"])

    var policy: Policy
    var seconds: Double = 0
    var isDurable = true
    var effects: [Policy.Effect] = []

    init(
        manifest: Manifest? = PolicyScene.manifest(), restoring grants: [AppID: Grant] = [:], prompts: [Prompt] = [],
        isAgentThere: Bool = true, isUserThere: Bool = true, continuing: [AppID: Continuation] = [:],
        seconds: Double = 0
    ) {
        self.seconds = seconds
        policy = Policy(restoring: grants, prompts: prompts, manifests: Self.catalogue(manifest))
        effects = policy.start(at: now, continuing: continuing)
        settle()
        if isAgentThere { send(.agentRegistered(1, uid: 1000)) }
        if isUserThere { send(.userChanged(1000, .active)) }
    }

    static func manifest(
        binding: ManifestBinding = PolicyScene.binding, whenInUse: String? = "Shows where you are.",
        always: String? = "Records your hike.", isDefaultAccuracyReduced: Bool = false, isAlwaysInUse: Bool = false,
        isRoots: Bool = false
    ) -> Manifest {
        Manifest(
            name: LocalizedText("Trail Map"), binding: binding, whenInUseUsage: whenInUse.map { LocalizedText($0) },
            alwaysUsage: always.map { LocalizedText($0) },
            temporaryUsages: ["Navigation": LocalizedText("Says when to turn.")],
            isDefaultAccuracyReduced: isDefaultAccuracyReduced, isAlwaysInUse: isAlwaysInUse, isRoots: isRoots)
    }

    static func catalogue(_ manifest: Manifest?) -> ManifestCatalogue {
        ManifestCatalogue(shared: manifest.map { [app.name: $0] } ?? [:])
    }

    var now: Instant {
        Instant(
            monotonicNanoseconds: UInt64(seconds * 1e9), utc: UTCTime(microseconds: Int64(seconds * 1e6)))
    }

    mutating func send(_ event: Policy.Event) {
        effects = policy.handle(event, at: now)
        settle()
    }

    /// Reports to the policy that all its transactions are stored.
    mutating func settle() {
        guard isDurable else { return }
        for case .persist(let token, _) in effects { effects += policy.handle(.persisted(token), at: now) }
    }

    mutating func wait(_ seconds: Double) {
        self.seconds += seconds
        send(.timePassed)
    }

    /// A process is attached. A mark identifies it over restarts of the daemon.
    mutating func attach(
        _ id: UInt64 = 7, _ activity: Activity? = .active, isInSession: Bool = true, mark: UInt64? = nil
    ) {
        let mark = Continuation.Mark(processID: 100, startTime: mark ?? id)
        send(
            .attached(
                Policy.Process(id: id, app: Self.app, assurance: .user, isInSession: isInSession, mark: mark)))
        if let activity { send(.declared(id, activity)) }
    }

    mutating func ask(_ request: Policy.Request) { send(.requested(50, request, by: 7)) }

    mutating func answer(_ choice: PromptChoice, precise: Bool? = nil) {
        send(.answered(60, prompt: prompt?.id ?? 0, choice, precise: precise, by: .agent(uid: 1000)))
    }

    mutating func set(_ permission: Permission, _ accuracy: AccuracyAuthorization? = nil) {
        send(.commanded(70, .set(Self.app, permission, accuracy), by: 0))
    }

    var prompt: Prompt? { policy.prompts.first }
    var permission: Permission { policy.grants[Self.app]?.permission ?? .notDetermined }
    var access: Decision.Access { policy.decide(for: 7, at: now).access }
    var authorizationState: AuthorizationState { policy.authorizationState(for: Self.app, at: now) }

    func reply(to id: UInt64) -> Policy.Reply? {
        for case .reply(id, let reply) in effects { return reply }
        return nil
    }

    var shown: [Prompt.Kind] {
        effects.compactMap { if case .show(let prompt, _) = $0 { prompt.kind } else { nil } }
    }
}
