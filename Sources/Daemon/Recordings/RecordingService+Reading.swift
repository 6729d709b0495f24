import Authorization
import Interfaces
import Journal
import Location
import Platform
import Storage
import Varlink

// Reading: the storage thread writes a reply under the gate's decision at the start of the read. The reply is sent only
// if the decision is still the same afterwards.

extension RecordingService {
    /// The maximum number of replies that are written at once, which bounds their memory. Further readers are queued.
    static let mostReads = 4

    func read(
        _ call: Call, _ request: RecordingInterface.Read, _ session: ClientSession, _ app: AppID,
        _ decision: RecordedDecision
    ) {
        let reader = RecordingReader(
            call, session: session, key: RecordingKey(app: app, identifier: request.identifier), request: request,
            decision)
        readers[ObjectIdentifier(call)] = reader
        call.onEnd = { [weak self, unowned call] in self?.forget(call) }
        queue(reader)
    }

    /// Queues a reader for the storage thread.
    private func queue(_ reader: RecordingReader) {
        stopWaiting(reader)
        turns.append(reader)
        servePages()
    }

    private func servePages() {
        while reads < Self.mostReads, !turns.isEmpty {
            let reader = turns.removeFirst()
            if !reader.call.isOver { read(reader) }
        }
    }

    private func read(_ reader: RecordingReader) {
        guard let entry = stillReadable(by: reader) else { return }
        reads += 1
        let id = entry.stored.id
        let room = Int(clamping: min(Int64(reader.limit), entry.stored.last - min(reader.after, entry.stored.last)))
        registry.journal.readPositions(
            of: id, after: reader.after, limit: reader.limit,
            into: RecordedReply(id, after: reader.after, room: room, reader.decision)
        ) { reply, sequence, position in
            reply.add(sequence, position)
        } completion: { [weak self, decision = reader.decision] result in
            DaemonActor.assumeIsolated { self?.handle(result, reader, id, decision) }
        }
    }

    private func handle(
        _ result: Result<RecordedPage<RecordedReply>, StorageError>, _ reader: RecordingReader,
        _ id: RecordingID, _ decision: RecordedDecision
    ) {
        reads -= 1
        defer { servePages() }
        // A reply is sent only if the app may still have it.
        guard !reader.call.isOver, let entry = stillReadable(by: reader) else { return }
        guard decision == reader.decision else { return queue(reader) }
        guard entry.stored.id == id else { return fail(reader, .noSuchRecording(of: reader.key.identifier)) }
        switch result {
        case .failure(let error) where error.reason == .protectedDataUnavailable:
            lockedRecordings.insert(reader.key)
            if reader.waits {
                lockedReaders.append(reader)
            } else {
                fail(reader, .init(error, of: reader.key.identifier))
            }
            registry.changes.report(.recordingLocked(reader.key))
        case .failure(let error): fail(reader, .init(error, of: reader.key.identifier))
        case .success(let page):
            if page.count == 0, page.reached > reader.after {
                // None of these rows could be read. A reply without positions would mean that there are no more.
                reader.after = page.reached
                return queue(reader)
            }
            if page.output.count == 0, page.output.endsWithheld, let withholding = decision.withholding {
                return fail(reader, .withheld(withholding))
            }
            guard page.output.count > 0 || !reader.waits else { return wait(reader, beyond: page.last, entry) }
            reader.session.note(recorded: decision.access.feed, of: reader.key.app)
            reader.after = page.output.lastSequence
            let isStream = reader.isStream
            if isStream { reader.call.goOn(after: reader.after) } else { forget(reader.call) }
            reader.call.reply(
                page.output.end(last: page.last, acknowledged: page.acknowledged, continues: isStream))
            if isStream { goOn(reader) }
        }
    }

    /// Continues to read when the client has received the reply.
    private func goOn(_ reader: RecordingReader) {
        reader.call.connection.whenDrained { [weak self, weak reader] in
            guard let self, let reader, !reader.call.isOver else { return }
            queue(reader)
        }
    }

    private func wait(_ reader: RecordingReader, beyond last: Int64, _ entry: JournalRecording) {
        let last = max(last, reader.after)
        // Positions recorded during the read.
        guard entry.stored.last <= last else { return queue(reader) }
        reader.state = .waiting(beyond: last)
        waiting[reader.key, default: []].append(reader)
        if reader.awaitsPositions { awaiting += 1 }
        updateAwaited()
    }

    private func stopWaiting(_ reader: RecordingReader) {
        guard reader.state != .busy else { return }
        reader.state = .busy
        waiting[reader.key]?.removeAll { $0 === reader }
        if waiting[reader.key]?.isEmpty == true { waiting[reader.key] = nil }
        if reader.awaitsPositions { awaiting -= 1 }
        updateAwaited()
    }

    /// Called when the data was locked or unlocked: those that wait for it read again, and what was read and is not sent
    /// yet is withdrawn.
    func protectedDataChanged() {
        for session in clients.sessions {
            guard let user = session.recordedUser, registry.protections.protection(of: user).access != .unlocked else {
                continue
            }
            withdraw(from: session)
        }
        let readers = lockedReaders
        lockedReaders = []
        lockedRecordings = lockedRecordings.filter {
            registry.protections.protection(of: $0.app.uid).access != .unlocked
        }
        for reader in readers where !reader.call.isOver { queue(reader) }
    }

    /// Whether the next position of a recording could not be read because it is locked.
    func isLocked(_ key: RecordingKey) -> Bool { lockedRecordings.contains(key) }

    /// Called when the journal has stored more positions of a recording.
    func stored(_ entry: JournalRecording) {
        for reader in waiting[entry.stored.key] ?? [] {
            if case .waiting(let last) = reader.state, entry.stored.last > last { queue(reader) }
        }
    }

    /// Called when an app's permission to read has changed. Waiting calls get the refusal, and replies already written
    /// but now forbidden are not sent.
    func readersChanged(_ app: AppID) {
        for session in clients.sessions(of: app) { withdrawExcess(from: session) }
        for (key, readers) in waiting where key.app == app {
            for reader in readers { _ = stillReadable(by: reader) }
        }
        for reader in lockedReaders where reader.key.app == app { _ = stillReadable(by: reader) }
    }

    /// Called when a connection belongs to another app now, or to none.
    func identityChanged(_ session: ClientSession) {
        if session.givenRecorded != .none { withdraw(from: session) }
        for reader in Array(readers.values) where reader.session === session { _ = stillReadable(by: reader) }
    }

    /// Closes the connection: bytes queued for the client's socket cannot be withdrawn in part.
    private func withdraw(from session: ClientSession) {
        guard let connection = session.connection, connection.isOpen, !connection.isDrained else {
            return
        }
        withdrawn += 1
        connection.close(.revoked)
    }

    /// Closes the connection if replies that its app may not have any more are still queued for it.
    private func withdrawExcess(from session: ClientSession) {
        guard session.givenRecorded != .none else { return }
        let now = session.process.map { authorizer.decideRecorded(for: $0.app.id).access.feed } ?? .none
        if now < session.givenRecorded { withdraw(from: session) }
    }

    /// The recording of a reader that may continue; nil if its call was ended.
    private func stillReadable(by reader: RecordingReader) -> JournalRecording? {
        guard !reader.call.isOver, reader.call.connection.isOpen else {
            forget(reader.call)
            return nil
        }
        guard reader.session.process?.app.id == reader.key.app else {
            refuse(reader, .unidentified)
            return nil
        }
        let decision = authorizer.decideRecorded(for: reader.key.app)
        if let reason = decision.refusal {
            refuse(reader, reason)
            return nil
        }
        // A client that already has rows with full accuracy must be informed that they are withheld now, even while it
        // waits.
        if let withholding = decision.withholding, reader.decision.withholding == nil {
            fail(reader, .withheld(withholding))
            return nil
        }
        reader.decision = decision
        guard let entry = registry.recording(reader.key) else {
            fail(reader, .noSuchRecording(of: reader.key.identifier))
            return nil
        }
        return entry
    }

    private func fail(_ reader: RecordingReader, _ failure: RecordingInterface.Failure) {
        forget(reader.call)
        reader.call.fail(failure)
    }

    private func refuse(_ reader: RecordingReader, _ reason: Decision.Reason) {
        forget(reader.call)
        refuse(reader.call, reason, reader.session)
    }

    func forget(_ call: Call) {
        guard let reader = readers.removeValue(forKey: ObjectIdentifier(call)) else { return }
        stopWaiting(reader)
        lockedReaders.removeAll { $0 === reader }
    }

    /// Requests that positions are made durable at once while a reader waits for them.
    private func updateAwaited() {
        guard isAwaited != (awaiting > 0) else { return }
        isAwaited = awaiting > 0
        registry.journal.setAwaited(isAwaited)
    }

    // Dead letters

    /// Reads an app's own dead letters, or any app's for an operator's program that is no app.
    func readRejected(
        _ call: Call, _ request: RecordingInterface.ReadRejected, _ session: ClientSession
    ) throws(RecordingInterface.Failure) {
        let entry: JournalRecording
        if let app = session.process?.app.id {
            guard request.app.map({ $0 == app.name }) ?? true, request.uid.map({ $0 == app.uid }) ?? true else {
                throw Self.stranger
            }
            guard decideReading(of: app, for: call, session) != nil else { return }
            entry = try recording(request.identifier, of: app)
        } else if session.isOperator {
            entry = try choose(request.identifier, request.app, request.uid, among: registry.all)
        } else {
            throw request.app == nil && request.uid == nil ? .noApp(session) : Self.stranger
        }
        let key = entry.stored.key
        // An operator cannot read for an app what the app itself may not have.
        guard let decision = decideReading(of: key.app, for: call, session) else { return }
        let limit = Int(request.limit ?? Self.usualDeadLetters)
        let reply = RejectedReply(decision)
        registry.journal.readDeadLetters(of: entry.stored.id, after: request.after, limit: limit, into: reply) {
            reply, letter in
            reply.add(letter)
        } completion: { [weak self] result in
            DaemonActor.assumeIsolated { self?.handle(result, call, session, key, decision) }
        }
    }

    private func handle(
        _ result: Result<RecordedPage<RejectedReply>, StorageError>, _ call: Call, _ session: ClientSession,
        _ key: RecordingKey, _ decision: RecordedDecision
    ) {
        guard !call.isOver, call.connection.isOpen else { return }
        let isOperator = session.process == nil && session.isOperator
        guard isOperator || session.process?.app.id == key.app else { return refuse(call, .unidentified, session) }
        guard let now = decideReading(of: key.app, for: call, session) else { return }
        if now != decision, let withholding = now.withholding {
            return call.fail(RecordingInterface.Failure.withheld(withholding))
        }
        switch result {
        case .failure(let error): call.fail(RecordingInterface.Failure(error, of: key.identifier))
        case .success(let page):
            guard registry.recording(key) != nil else {
                return call.fail(RecordingInterface.Failure.noSuchRecording(of: key.identifier))
            }
            if page.count == 0, page.output.endsWithheld, let withholding = decision.withholding {
                return call.fail(RecordingInterface.Failure.withheld(withholding))
            }
            if isOperator {
                for _ in 0..<page.count { session.countPosition(.full) }
            }
            session.note(recorded: decision.access.feed, of: key.app)
            call.reply(page.output.end())
        }
    }

    /// The maximum number of dead letters in a reply if the caller names none.
    private static let usualDeadLetters: Int64 = 16

    private static let stranger = RecordingInterface.Failure.notOperator(
        message: "Only an operator's program that is no app may read what another app's destination rejected.")
}
