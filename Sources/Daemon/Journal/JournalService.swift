import Authorization
import Interfaces
import Journal
import Platform
import Storage
import Varlink

/// `io.waymark.Journal`: operators read, follow, check and annotate the journal; apps read the events about themselves.
@DaemonActor
final class JournalService {
    private let journal: EventJournal
    private let recorder: EventRecorder
    private let clients: Clients
    private let changes: Changes
    private var readers: [ObjectIdentifier: JournalReader] = [:]
    /// The maximum number of kinds that a call may name.
    private static let mostKinds = 64
    /// The maximum number of Unicode scalars in a remark. Scalars are counted because one letter may carry any number
    /// of combining accents.
    private static let longestNote = 1_000

    init(journal: EventJournal, recorder: EventRecorder, clients: Clients, changes: Changes) {
        self.changes = changes
        self.journal = journal
        self.recorder = recorder
        self.clients = clients
    }

    /// The scope of a client; nil if it may see nothing.
    private func scope(of connection: ServerConnection) -> AppScope? {
        if clients.isOperator(connection) { return .everything }
        return clients.identity(of: connection).app.map { .app($0) }
    }

    /// Called when events have become durable.
    func committed(_ events: [StoredEvent]) {
        endChanged()
        for reader in Array(readers.values) { reader.committed(events) }
    }

    /// Ends the readers whose client's identity or rights have changed, if they may no longer see what they could at
    /// the start.
    func endChanged() {
        for reader in Array(readers.values) where reader.scope != scope(of: reader.call.connection) {
            let message =
                reader.scope == .everything
                ? "This program is no longer an operator's." : "This program is no longer identified as the same app."
            reader.call.fail(JournalInterface.Failure.notOperator(message: message))
            forget(reader.call)
        }
    }

    func forget(_ call: Call) {
        readers[ObjectIdentifier(call)] = nil
        if !readers.values.contains(where: \.isFollowing) { journal.setFollowed(false) }
    }
}

// Calls

extension JournalService: JournalInterface.Handler {
    func read(_ call: MethodCall<JournalInterface.Read>) throws(JournalInterface.Failure) {
        let (request, call) = (call.parameters, call.call)
        guard let scope = scope(of: call.connection) else {
            throw .notOperator(
                message: "The journal is for operators: root, the daemon's user and members of the operators' group. "
                    + "An app may read the events about itself.")
        }
        if request.kinds.map({ $0.count > Self.mostKinds }) ?? false {
            return call.fail(ServiceError.invalidParameter("kinds"))
        }
        if scope == .everything, request.kinds?.contains(.positionsSeen) ?? false {
            changes.report(.seenPositionsRequested)
        }
        if let name = request.app, !scope.mayQuery(about: name) {
            return call.fail(ServiceError.invalidParameter("app"))
        }
        let reader = JournalReader(call, request: request, scope: scope, journal: journal, service: self)
        readers[ObjectIdentifier(call)] = reader
        if reader.isFollowing { journal.setFollowed(true) }
        call.onEnd = { [weak self, unowned call] in self?.forget(call) }
        reader.start()
    }

    func verify(_ call: MethodCall<JournalInterface.Verify>) {
        journal.verify { result in
            DaemonActor.assumeIsolated {
                switch result {
                case .success(let verification): call.reply(.init(verification: .init(verification)))
                case .failure(let error): call.call.fail(error)
                }
            }
        }
    }

    func note(_ call: MethodCall<JournalInterface.Note>) {
        let text = call.parameters.text
        guard !text.isEmpty, text.unicodeScalars.count <= Self.longestNote else {
            return call.call.fail(ServiceError.invalidParameter("text"))
        }
        let event = Event(.note, uid: call.connection.peer.userID, details: ["text": .text(text)])
        recorder.record(event) { result in
            switch result {
            case .success(let sequence): call.reply(.init(sequence: sequence))
            case .failure(let error): call.call.fail(error)
            }
        }
    }
}

extension Call {
    /// Ends the call because the journal does not work.
    func fail(_ error: StorageError) {
        fail(
            JournalInterface.Failure.journalUnavailable(
                message: "The journal is unavailable: \(error.description). See `waymark status`."))
    }
}

extension JournalInterface.Verification {
    init(_ verification: Verification) {
        self.init(
            isSound: verification.isSound, events: verification.events,
            oldest: verification.events > 0 ? verification.oldestRetained : nil,
            newest: verification.newest > 0 ? verification.newest : nil,
            unchecked: verification.unchecked > 0 ? verification.unchecked : nil, findings: verification.findings)
    }
}
