import Accounts
import Authorization
import Journal
import Location
import Platform

/// Forwards apps' requests and people's answers to the policy, and limits how often a person is asked.
@DaemonActor
final class Prompts {
    private let authorizer: Authorizer
    private let users: UserStates
    private let accounts: UserAccounts
    private let clock: any TimeSource
    private var raisedAt: [UInt64: UTCTime] = [:]
    /// The remaining prompts of each app.
    private var left = Allowance<AppID>(Prompts.mostAtOnce, every: Prompts.interval)
    /// The remaining prompts of each account, for all of its apps together.
    private var leftOfAccount = Allowance<UInt32>(Prompts.mostOfAccount, every: Prompts.intervalOfAccount)

    /// The number of prompts of one app before the limit applies.
    private static let mostAtOnce = 5
    /// The interval of further prompts: at most ten within any hour.
    private static let interval = Duration.seconds(720)
    /// The number of prompts of an account's apps together before the limit applies, because a user can add any number
    /// of apps.
    private static let mostOfAccount = 20
    /// The interval of further prompts of an account: at most forty within any hour.
    private static let intervalOfAccount = Duration.seconds(180)

    init(authorizer: Authorizer, users: UserStates, accounts: UserAccounts, clock: any TimeSource) {
        self.authorizer = authorizer
        self.users = users
        self.accounts = accounts
        self.clock = clock
    }

    /// Restores when the stored prompts were raised. Called before `Authorizer.load`.
    func load(_ state: StoredAuthorization) {
        for prompt in state.prompts { raisedAt[prompt.id] = state.raisedAt[prompt.id] ?? authorizer.instant.utc }
    }

    // Unanswered prompts

    /// The unanswered prompts, the oldest first.
    var all: [PromptSummary] {
        authorizer.policy.prompts.map {
            PromptSummary(
                prompt: $0, isShown: authorizer.policy.isShown($0),
                raisedAt: raisedAt[$0.id] ?? authorizer.instant.utc)
        }
    }

    /// The unanswered prompt with this number; nil if there is none.
    func prompt(_ number: Int64) -> Prompt? {
        authorizer.policy.prompts.first { Int64(exactly: $0.id) == number }
    }

    /// Counts a raised prompt.
    func raised(_ prompt: Prompt) {
        raisedAt[prompt.id] = authorizer.instant.utc
        let now = clock.monotonicNanoseconds
        _ = left.consume(prompt.app, at: now)
        if let account = accounts.budgetAccount(prompt.app.uid) { _ = leftOfAccount.consume(account, at: now) }
    }

    /// A prompt was answered or withdrawn.
    func ended(_ id: UInt64) { raisedAt[id] = nil }

    // Requests and answers

    /// Handles an app's request; completes when the decision is durable. If the limit is reached, the reply is the
    /// app's present authorization, at once; for tracking, with that obstacle if nobody has decided.
    func request(
        _ request: Policy.Request, by process: Policy.ProcessID, completion: @escaping Authorizer.Completion
    ) {
        if let app = authorizer.policy.app(of: process) {
            if isAskedTooOften(app, about: request.subject) {
                if request == .tracking {
                    let status = authorizer.policy.trackingStatus(of: app)
                    return completion(.tracking(status, status == .notDetermined ? .requestedTooOften : nil))
                }
                return completion(
                    .authorizationState(authorizer.policy.authorizationState(for: app, at: authorizer.instant)))
            }
            users.refreshPresence(of: app.uid)
        }
        authorizer.send(completion) { .requested($0, request, by: process) }
    }

    /// A position is due to an app in the background whose Always is to be confirmed, so that a prompt is raised. False
    /// if the limit is reached.
    @discardableResult
    func positionDue(to app: AppID) -> Bool {
        guard !isAskedTooOften(app, about: .positions) else { return false }
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

    /// Resets the limits of an app, or of all apps.
    func resetLimits(of app: AppID?) {
        guard let app else {
            left.reset()
            return leftOfAccount.reset()
        }
        left.reset(app)
        if let account = accounts.budgetAccount(app.uid) { leftOfAccount.reset(account) }
    }

    /// Whether the limit for an app or its account is reached.
    private func isAskedTooOften(_ app: AppID, about subject: Prompt.Subject) -> Bool {
        guard authorizer.policy.openPrompt(of: app, about: subject) == nil else { return false }
        let now = clock.monotonicNanoseconds
        if left.left(for: app, at: now) == 0 { return true }
        guard let account = accounts.budgetAccount(app.uid) else { return false }
        return leftOfAccount.left(for: account, at: now) == 0
    }
}
