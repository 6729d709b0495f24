import Interfaces
import Journal
import Platform
import Varlink

/// `io.waymark.Manage`: status, metrics, reload and decisions about apps, for operators.
@DaemonActor
final class ManageService: ManageInterface.Handler {
    /// The result of a reload.
    enum ReloadOutcome {
        case applied(changed: [String], needsRestart: [String])
        case refused(problems: [String])
        case unrecorded(JournalError)
    }

    /// Reads the configuration again and calls back with the result.
    typealias Reload = @DaemonActor (@escaping @Sendable @DaemonActor (ReloadOutcome) -> Void) -> Void

    let authorizer: Authorizer
    let reduced: ReducedReceiver
    let accounts: AccountRetention
    private let report: StatusReport
    private let stream: StatusStream
    private let reload: Reload
    /// Updates the journal's status, so that the report is fresh. Calls back soon even if the journal does not respond.
    private let refresh: @DaemonActor (@escaping @DaemonActor () -> Void) -> Void

    init(
        authorizer: Authorizer, reduced: ReducedReceiver, accounts: AccountRetention, report: StatusReport,
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

    func status(_ call: MethodCall<ManageInterface.Status>) {
        refresh { [report] in call.reply(.init(status: report.status())) }
    }

    func monitor(_ call: MethodCall<ManageInterface.Monitor>) {
        refresh { [stream] in
            if !call.call.isOver { stream.add(call.call) }
        }
    }

    func metrics(_ call: MethodCall<ManageInterface.Metrics>) {
        refresh { [report] in call.reply(.init(text: Metrics(report.status()).text)) }
    }

    func reload(_ call: MethodCall<ManageInterface.Reload>) {
        reload { [call = call.later] in call.answer($0) }
    }

    /// Ends the streams of clients that are no operators any more.
    func review() {
        stream.end(unless: { authorizer.isOperator($0.connection) }, { Dispatcher.refuse(ManageInterface.self, $0) })
    }
}

extension LateCall<ManageInterface.Reload> {
    fileprivate func answer(_ outcome: ManageService.ReloadOutcome) {
        switch outcome {
        case .applied(let changed, let needsRestart): reply(.init(changed: changed, needsRestart: needsRestart))
        case .refused(let problems):
            fail(
                .configurationInvalid(
                    problems: problems,
                    message: "The configuration has errors; the old settings stay in force. \(problems.first ?? "")"))
        case .unrecorded(let error):
            fail(
                .journalUnavailable(
                    message: "The new settings are in force, but the journal could not record that:"
                        + " \(error.description)."))
        }
    }
}
