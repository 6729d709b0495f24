import Authorization
import Journal
import Location
import Platform

/// Has people asked for apps: within limits, as an app could otherwise have its person asked without end.
@DaemonActor
final class Prompts {
    private let authorizer: Authorizer
    private let users: UserStates
    private let accounts: UserAccounts
    private let clock: any TimeSource
    private var raisedAt: [UInt64: UTCTime] = [:]
    /// How often each app may have its person asked.
    private var left = Allowance<AppID>(Prompts.mostAtOnce, every: Prompts.interval)
    /// How often each account may have its person asked for all of its apps together.
    private var leftOfAccount = Allowance<UInt32>(Prompts.mostOfAccount, every: Prompts.intervalOfAccount)

    /// How often a person may be asked for an app at once.
    private static let mostAtOnce = 5
    /// After this time once more: at most ten times within any hour.
    private static let interval = Duration.seconds(720)
    /// How often a person may be asked at once for all apps of an account together: a user can name any number of apps.
    private static let mostOfAccount = 20
    /// After this time once more for an account: at most forty times within any hour.
    private static let intervalOfAccount = Duration.seconds(180)

    init(authorizer: Authorizer, users: UserStates, accounts: UserAccounts, clock: any TimeSource) {
        self.authorizer = authorizer
        self.users = users
        self.accounts = accounts
        self.clock = clock
    }

    /// Restores when the stored prompts were raised; before `Authorizer.load`.
    func load(_ state: StoredAuthorization) {
        for prompt in state.prompts { raisedAt[prompt.id] = state.raisedAt[prompt.id] ?? authorizer.instant.utc }
    }

    // Unanswered prompts

    /// The prompts that nobody has answered, the oldest first.
    var all: [PromptSummary] {
        authorizer.policy.prompts.map {
            PromptSummary(
                prompt: $0, isShown: authorizer.policy.isShown($0),
                raisedAt: raisedAt[$0.id] ?? authorizer.instant.utc)
        }
    }

    /// The prompt of this number; nil where there is none, or it was answered.
    func prompt(_ number: Int64) -> Prompt? {
        authorizer.policy.prompts.first { Int64(exactly: $0.id) == number }
    }

    /// A prompt was raised: it counts to the limits.
    func raised(_ prompt: Prompt) {
        raisedAt[prompt.id] = authorizer.instant.utc
        let now = clock.monotonicNanoseconds
        _ = left.consume(prompt.app, at: now)
        if let account = accounts.budgetAccount(prompt.app.uid) { _ = leftOfAccount.consume(account, at: now) }
    }

    /// A prompt was answered or withdrawn.
    func ended(_ id: UInt64) { raisedAt[id] = nil }

    // Requests and answers

    /// An app requests an authorization; completes when it is decided and durable. Where the person was asked too often
    /// for the app, the reply is its present authorization, at once.
    func request(
        _ request: Policy.Request, by process: Policy.ProcessID, completion: @escaping Authorizer.Completion
    ) {
        if let app = authorizer.policy.app(of: process) {
            if isAskedTooOften(app) {
                return completion(
                    .authorizationState(authorizer.policy.authorizationState(for: app, at: authorizer.instant)))
            }
            users.refreshPresence(of: app.uid)
        }
        authorizer.send(completion) { .requested($0, request, by: process) }
    }

    /// A position is due to an app in the background whose Always is still to be confirmed: the person is asked. False
    /// where the person was asked too often.
    @discardableResult
    func positionDue(to app: AppID) -> Bool {
        guard !isAskedTooOften(app) else { return false }
        authorizer.send(.positionDue(app))
        return true
    }

    /// A person or an operator answers a prompt.
    func answer(
        _ prompt: Prompt, _ choice: PromptChoice, precise: Bool?, by answerer: Policy.Answerer,
        completion: @escaping Authorizer.Completion
    ) {
        if case .agent(let uid) = answerer { users.refreshPresence(of: uid) }
        authorizer.send(completion) { .answered($0, prompt: prompt.id, choice, precise: precise, by: answerer) }
    }

    /// A person closes a prompt without an answer.
    func dismiss(_ prompt: Prompt, by answerer: Policy.Answerer) {
        authorizer.send(.dismissed(prompt: prompt.id, by: answerer))
    }

    // Limits

    /// Allows people to be asked for an app, or for all apps, as often as at the start.
    func resetLimits(of app: AppID?) {
        guard let app else {
            left.reset()
            return leftOfAccount.reset()
        }
        left.reset(app)
        if let account = accounts.budgetAccount(app.uid) { leftOfAccount.reset(account) }
    }

    /// Whether a person was asked so often for an app, or for all apps of its account, that a new prompt has to wait.
    private func isAskedTooOften(_ app: AppID) -> Bool {
        guard authorizer.policy.openPrompt(of: app) == nil else { return false }
        let now = clock.monotonicNanoseconds
        if left.left(for: app, at: now) == 0 { return true }
        guard let account = accounts.budgetAccount(app.uid) else { return false }
        return leftOfAccount.left(for: account, at: now) == 0
    }
}
