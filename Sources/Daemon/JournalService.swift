import Interfaces
import Journal
import Platform
import Varlink

/// `io.waymark.Journal`: reads, follows, checks and annotates the journal, for operators.
@DaemonActor
final class JournalService {
    private let journal: EventJournal
    private let recorder: EventRecorder
    private var operators: OperatorPolicy
    private var readers: [ObjectIdentifier: JournalReader] = [:]
    /// Calls refused since the start.
    private(set) var refused = 0

    /// The most characters of a remark, accents that combine with a letter counted by themselves: one letter may carry
    /// any number of them.
    private static let longestNote = 1_000

    init(journal: EventJournal, recorder: EventRecorder, operators: OperatorPolicy) {
        self.journal = journal
        self.recorder = recorder
        self.operators = operators
    }

    /// Answers a call, now or later.
    func handle(_ call: Call) {
        guard operators.isOperator(call.connection.peer) else {
            refused += 1
            return call.fail(
                ErrorName.journalNotOperator.rawValue,
                message: "The journal is for operators: root, the daemon's user and members of the operators' group.")
        }
        switch JournalMethod(rawValue: call.request.method) {
        case .read: read(call)
        case .verify: verify(call)
        case .note: note(call)
        case nil: call.fail(ServiceError.methodNotImplemented(call.request.method))
        }
    }

    /// Applies a new policy: readers that are no longer operators end.
    func apply(_ operators: OperatorPolicy) {
        self.operators = operators
        for reader in Array(readers.values) where !operators.isOperator(reader.call.connection.peer) {
            reader.call.fail(ErrorName.journalNotOperator.rawValue, message: "This program is no operator any more.")
            forget(reader.call)
        }
    }

    /// Events have become durable.
    func committed(_ events: [StoredEvent]) {
        for reader in Array(readers.values) { reader.committed(events) }
    }

    private func read(_ call: Call) {
        do throws(ParameterError) {
            let request = try JournalRequest(call.parameters)
            let reader = JournalReader(call, request: request, journal: journal) { [weak self, unowned call] in
                self?.forget(call)
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
