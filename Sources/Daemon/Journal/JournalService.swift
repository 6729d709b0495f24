import Authorization
import Interfaces
import Journal
import Platform
import Varlink

/// `io.waymark.Journal`: reads, follows, checks and annotates the journal, for operators; apps read what is about them.
@DaemonActor
final class JournalService {
    private let journal: EventJournal
    private let recorder: EventRecorder
    private let authorizer: Authorizer
    private let changes: Changes
    private var readers: [ObjectIdentifier: JournalReader] = [:]
    /// Calls refused since the start.
    private(set) var refused = 0

    /// The most characters of a remark, accents that combine with a letter counted by themselves: one letter may carry
    /// any number of them.
    private static let longestNote = 1_000

    init(journal: EventJournal, recorder: EventRecorder, authorizer: Authorizer, changes: Changes) {
        self.changes = changes
        self.journal = journal
        self.recorder = recorder
        self.authorizer = authorizer
    }

    /// Answers a call, once it is known who it is from.
    func handle(_ call: Call) {
        authorizer.whenReady(for: call.connection.peer.userID) { [weak self] in
            guard let self, !call.isOver || call.request.oneway, call.connection.isOpen else { return }
            perform(call)
        }
    }

    private func perform(_ call: Call) {
        let scope = scope(of: call.connection)
        switch (JournalMethod(rawValue: call.request.method), scope) {
        case (.read, let scope?): read(call, scope)
        case (.verify, .everything): verify(call)
        case (.note, .everything): note(call)
        case (nil, .everything): call.fail(ServiceError.methodNotImplemented(call.request.method))
        default:
            refused += 1
            call.fail(
                ErrorName.journalNotOperator.rawValue,
                message: "The journal is for operators: root, the daemon's user and members of the operators' group. "
                    + "An app may read what is about itself.")
        }
    }

    /// What of the journal a client may see, nil where it is nothing.
    private func scope(of connection: ServerConnection) -> JournalScope? {
        if authorizer.isOperator(connection) { return .everything }
        return authorizer.identity(of: connection).app.map { .app($0) }
    }

    /// Events have become durable.
    func committed(_ events: [StoredEvent]) {
        endChanged()
        for reader in Array(readers.values) { reader.committed(events) }
    }

    /// Ends the readers that may no longer see what they could when they began, for they are somebody else now.
    func endChanged() {
        for reader in Array(readers.values) where reader.scope != scope(of: reader.call.connection) {
            let message =
                reader.scope == .everything
                ? "This program is no operator any more." : "This program is not known as the same app any more."
            reader.call.fail(ErrorName.journalNotOperator.rawValue, message: message)
            forget(reader.call)
        }
    }

    private func read(_ call: Call, _ scope: JournalScope) {
        do throws(ParameterError) {
            let request = try JournalRequest(call.parameters)
            if scope == .everything, request.kinds.contains(EventKind.positionsSeen.rawValue) {
                changes.report(.seenPositionsRequested)
            }
            if let name = request.app, !scope.mayAsk(about: name) { throw ParameterError("app") }
            let reader = JournalReader(call, request: request, scope: scope, journal: journal) {
                [weak self, weak call] in
                if let call { self?.forget(call) }
            }
            readers[ObjectIdentifier(call)] = reader
            if request.follow, call.wantsMore { journal.setFollowed(true) }
            call.onEnd = { [weak self, unowned call] in self?.forget(call) }
            reader.start()
        } catch {
            call.fail(error)
        }
    }

    private func forget(_ call: Call) {
        readers[ObjectIdentifier(call)] = nil
        if !readers.values.contains(where: \.isFollowing) { journal.setFollowed(false) }
    }

    private func verify(_ call: Call) {
        journal.verify { result in
            DaemonActor.assumeIsolated {
                switch result {
                case .success(let verification):
                    call.reply { writer in
                        writer.key("verification")
                        JournalVerification(verification).write(to: &writer)
                    }
                case .failure(let error): call.fail(error)
                }
            }
        }
    }

    private func note(_ call: Call) {
        guard let text = call.parameters["text"]?.stringValue, !text.isEmpty,
            text.unicodeScalars.count <= Self.longestNote
        else {
            return call.fail(ServiceError.invalidParameter("text"))
        }
        let event = Event(.note, uid: call.connection.peer.userID, details: ["text": .text(text)])
        recorder.record(event) { result in
            switch result {
            case .success(let sequence): call.reply { $0.member("sequence", sequence) }
            case .failure(let error): call.fail(error)
            }
        }
    }
}

extension Call {
    /// Ends the call because the journal does not work.
    func fail(_ error: JournalError) {
        fail(
            ErrorName.journalUnavailable.rawValue,
            message: "The journal cannot be used now: \(error.description). See `waymark status`.")
    }
}

extension JournalVerification {
    init(_ verification: Verification) {
        self.init(
            isSound: verification.isSound, events: verification.events,
            oldest: verification.events > 0 ? verification.oldestKept : nil,
            newest: verification.newest > 0 ? verification.newest : nil, findings: verification.findings)
    }
}
