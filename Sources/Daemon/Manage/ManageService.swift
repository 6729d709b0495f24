import Interfaces
import JSONText
import Journal
import Platform
import Varlink

/// `io.waymark.Manage`: status, metrics, reload and what is decided for apps, for operators.
@DaemonActor
final class ManageService {
    /// What a reload came to.
    enum ReloadOutcome {
        case applied(changed: [String], needsRestart: [String])
        case refused(problems: [String])
        case unrecorded(JournalError)
    }

    /// Reads the configuration again and calls back with what that came to.
    typealias Reload = @DaemonActor (@escaping @Sendable @DaemonActor (ReloadOutcome) -> Void) -> Void

    let authorizer: Authorizer
    let reduced: ReducedReceiver
    let accounts: AccountKeeper
    private let report: StatusReport
    private let stream: StatusStream
    private let reload: Reload
    /// Asks the journal how it stands, so that the report is fresh, and calls back soon whatever the journal does.
    private let refresh: @DaemonActor (@escaping @DaemonActor () -> Void) -> Void
    /// Calls refused since the start.
    private(set) var refused = 0

    init(
        authorizer: Authorizer, reduced: ReducedReceiver, accounts: AccountKeeper, report: StatusReport,
        stream: StatusStream,
        reload: @escaping Reload,
        refresh: @escaping @DaemonActor (@escaping @DaemonActor () -> Void) -> Void
    ) {
        self.authorizer = authorizer
        self.reduced = reduced
        self.accounts = accounts
        self.report = report
        self.stream = stream
        self.reload = reload
        self.refresh = refresh
    }

    /// Answers a call, now or later.
    func handle(_ call: Call) {
        let peer = call.connection.peer
        guard authorizer.operators.isOperator(peer) else { return refuse(call) }
        authorizer.whenReady(for: peer.userID, .operators) { [weak self] in
            guard let self, !call.isOver || call.request.oneway, call.connection.isOpen else { return }
            guard authorizer.isOperator(call.connection) else { return refuse(call) }
            perform(call)
        }
    }

    private func perform(_ call: Call) {
        switch ManageMethod(rawValue: call.request.method) {
        case .status:
            refresh { [report] in
                let status = report.status()
                call.reply { writer in
                    writer.key("status")
                    status.write(to: &writer)
                }
            }
        case .monitor:
            refresh { [stream] in
                if !call.isOver { stream.add(call) }
            }
        case .metrics:
            refresh { [report] in
                let text = Metrics(report.status()).text
                call.reply { $0.member("text", text) }
            }
        case .reload: reload { [weak call] outcome in call?.answer(outcome) }
        case .rotateReduced: rotateReduced(call)
        case let method?: handleAuthorization(call, method)
        case nil: call.fail(ServiceError.methodNotImplemented(call.request.method))
        }
    }

    /// Who is an operator may have changed: streams of those that are none any more end.
    func review() {
        stream.end(unless: { authorizer.isOperator($0.connection) }, { refuse($0) })
    }

    private func refuse(_ call: Call) {
        refused += 1
        call.fail(
            ErrorName.manageNotOperator.rawValue,
            message: "Only operators may do this: root, the daemon's user and members of the operators' group. An app"
                + " may not, whoever runs it.")
    }
}

extension Call {
    fileprivate func answer(_ outcome: ManageService.ReloadOutcome) {
        switch outcome {
        case .applied(let changed, let needsRestart):
            reply { writer in
                writer.member("changed", changed)
                writer.member("needsRestart", needsRestart)
            }
        case .refused(let problems):
            fail(
                ErrorName.configurationInvalid.rawValue,
                message: "The configuration has errors; the old settings stay in force. \(problems.first ?? "")",
                parameters: [JSON.Member("problems", .array(problems.map { .string($0) }))])
        case .unrecorded(let error):
            fail(
                ErrorName.manageJournalUnavailable.rawValue,
                message: "The new settings are in force, but the journal could not record that: \(error.description).")
        }
    }
}
