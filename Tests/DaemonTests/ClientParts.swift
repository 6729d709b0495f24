import Accounts
import Authorization
import Configuration
import Interfaces
import Platform
import TestSupport

@testable import Daemon

/// The parts of a daemon that decide about clients, with manifests in the folder `apps` of a directory. The owner decides what
/// follows from their changes.
@DaemonActor
struct ClientParts {
    let settings: Settings
    let changes = Changes()
    let journal: JournalSupervisor
    let recorder: EventRecorder
    let clientRecorder: ClientRecorder
    let ledger: PositionLedger
    let authorizer: Authorizer
    let users: UserStates
    let holds: Holds
    let programs: ProgramInspector
    let clients: Clients
    let prompts: Prompts

    /// Parts that read programs directly, or through the inspector at this socket. With a limit of slow programs, all users
    /// have it together.
    init(
        _ directory: TemporaryDirectory, clock: any TimeSource, inspector: String? = nil,
        slowPrograms: InspectorTimeouts? = nil
    ) throws {
        var settings = Settings()
        settings.journal.stateDirectory = directory.file("state")
        settings.authorization.manifests = [directory.file("apps")]
        settings.authorization.personalManifests = .no
        settings.authorization.restrictions = directory.file("restrictions.d")
        self.settings = settings
        journal = try JournalSupervisor(
            settings: settings.journal, recording: settings.recording, changes: changes, clock: clock)
        recorder = EventRecorder(journal: journal.journal)
        ledger = try PositionLedger(journal: journal.journal, recorder: recorder, clock: clock)
        let accounts = UserAccounts(clock: clock)
        clientRecorder = try ClientRecorder(events: recorder, accounts: accounts, clock: clock)
        let library = ManifestLibrary(settings.authorization, accounts: accounts, changes: changes)
        authorizer = try Authorizer(
            minimumAssurance: settings.authorization.minimumAssurance, library: library, recorder: clientRecorder,
            changes: changes, clock: clock)
        users = UserStates(personalManifests: .no, authorizer: authorizer, recorder: clientRecorder, changes: changes)
        holds = Holds(authorizer: authorizer, changes: changes)
        programs = try ProgramInspector(
            socket: inspector, changes: changes, clock: clock, timeouts: slowPrograms ?? InspectorTimeouts(),
            limitUser: { [accounts] in slowPrograms == nil ? accounts.limitUser($0) : .max })
        clients = Clients(
            library: library, programs: programs, operators: OperatorPolicy(groupName: "waymark"),
            authorizer: authorizer, users: users, holds: holds, accounts: accounts, ledger: ledger, changes: changes)
        prompts = Prompts(authorizer: authorizer, users: users, accounts: accounts, clock: clock)
    }
}
