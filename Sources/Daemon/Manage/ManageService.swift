import Interfaces
import Journal
import Platform
import Varlink

/// `io.waymark.Manage`: status, metrics, reload and decisions about apps, for operators.
@DaemonActor
final class ManageService: ManageInterface.Handler {
    let authorizer: Authorizer
    let clients: Clients
    let prompts: Prompts
    let users: UserStates
    let apps: AppDirectory
    let recorder: EventRecorder
    let readiness: Readiness
    let reduced: ReducedReceiver
    let accounts: AccountRetention
    let identities: IdentityRegistry
    private let report: StatusReport
    private let stream: StatusStream
    private let configuration: ConfigurationReload
    /// Refreshed before each report.
    private let journal: JournalSupervisor

    init(
        authorizer: Authorizer, clients: Clients, prompts: Prompts, users: UserStates, readiness: Readiness,
        apps: AppDirectory, recorder: EventRecorder, reduced: ReducedReceiver, accounts: AccountRetention,
        identities: IdentityRegistry,
        report: StatusReport, stream: StatusStream, configuration: ConfigurationReload, journal: JournalSupervisor
    ) {
        self.authorizer = authorizer
        self.clients = clients
        self.prompts = prompts
        self.users = users
        self.readiness = readiness
        self.apps = apps
        self.recorder = recorder
        self.reduced = reduced
        self.accounts = accounts
        self.identities = identities
        self.report = report
        self.stream = stream
        self.configuration = configuration
        self.journal = journal
    }

    func status(_ call: MethodCall<ManageInterface.Status>) {
        journal.refresh { [report] in call.reply(.init(status: report.status())) }
    }

    func monitor(_ call: MethodCall<ManageInterface.Monitor>) {
        journal.refresh { [stream] in
            if !call.call.isOver { stream.add(call.call) }
        }
    }

    func metrics(_ call: MethodCall<ManageInterface.Metrics>) {
        journal.refresh { [report] in call.reply(.init(text: Metrics(report.status()).text)) }
    }

    func reload(_ call: MethodCall<ManageInterface.Reload>) {
        configuration.reload { [call = call.later] in call.answer($0) }
    }

    /// Ends the streams of clients that are no operators any more.
    func review() {
        stream.end(unless: { clients.isOperator($0.connection) }, { Dispatcher.refuse(ManageInterface.self, $0) })
    }
}

extension LateCall<ManageInterface.Reload> {
    fileprivate func answer(_ outcome: ConfigurationReload.Outcome) {
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
