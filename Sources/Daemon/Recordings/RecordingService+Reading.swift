import Authorization
import Interfaces
import Journal
import Location
import Platform
import Varlink

// Reading: a reply is written by the storage thread, and looked at by the gate again before it leaves.

extension RecordingService {
    /// How many replies are being written at once; further readers wait for their turn. What bounds the memory of all.
    static let mostReads = 4

    func read(_ call: Call, _ request: ReadRecordingRequest, _ session: ClientSession, _ app: AppID) {
        let reader = RecordingReader(
            call, session: session, key: RecordingKey(app: app, identifier: request.identifier), request: request)
        readers[ObjectIdentifier(call)] = reader
        call.onEnd = { [weak self, unowned call] in self?.forget(call) }
        queue(reader)
    }

    /// Has a reader read as soon as it is its turn.
    private func queue(_ reader: RecordingReader) {
        stopWaiting(reader)
        turns.append(reader)
        takeTurns()
    }

    private func takeTurns() {
        while reads < Self.mostReads, !turns.isEmpty {
            let reader = turns.removeFirst()
            if !reader.call.isOver { read(reader) }
        }
    }

    private func read(_ reader: RecordingReader) {
        guard let kept = stillReadable(by: reader) else { return }
        reads += 1
        let id = kept.stored.id
        let room = Int(clamping: min(Int64(reader.limit), kept.stored.last - min(reader.after, kept.stored.last)))
        keeper.journal.readPositions(
            of: id, after: reader.after, limit: reader.limit, into: RecordedReply(id, after: reader.after, room: room)
        ) { reply, sequence, position in
            reply.add(sequence, position)
        } completion: { [weak self] result in
            DaemonActor.assumeIsolated { self?.took(result, reader, id) }
        }
    }

    private func took(
        _ result: Result<RecordedPage<RecordedReply>, JournalError>, _ reader: RecordingReader,
        _ id: RecordingID
    ) {
        reads -= 1
        defer { takeTurns() }
        // Whatever was written: it leaves only if the app may have it now.
        guard !reader.call.isOver, let kept = stillReadable(by: reader) else { return }
        guard kept.stored.id == id else { return fail(reader) { failNoSuchRecording($0, reader.key.identifier) } }
        switch result {
        case .failure(let error): fail(reader) { fail($0, error, reader.key.identifier) }
        case .success(let page):
            if page.count == 0, page.reached > reader.after {
                // None of these could be read. A reply without positions would say that there are no more.
                reader.after = page.reached
                return queue(reader)
            }
            guard page.output.count > 0 || !reader.waits else { return wait(reader, beyond: page.last, kept) }
            reader.session.hasRecorded = true
            reader.after = page.output.lastSequence
            let isStream = reader.isStream
            if isStream { reader.call.goOn(after: reader.after) } else { forget(reader.call) }
            reader.call.reply(
                page.output.end(last: page.last, acknowledged: page.acknowledged, continues: isStream))
            if isStream { goOn(reader) }
        }
    }

    /// Reads on when the client has room.
    private func goOn(_ reader: RecordingReader) {
        reader.call.connection.whenDrained { [weak self, weak reader] in
            guard let self, let reader, !reader.call.isOver else { return }
            queue(reader)
        }
    }

    private func wait(_ reader: RecordingReader, beyond last: Int64, _ kept: KeptRecording) {
        let last = max(last, reader.after)
        // What was recorded while the reader was under way.
        guard kept.stored.last <= last else { return queue(reader) }
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

    /// The journal has more of a recording.
    func stored(_ kept: KeptRecording) {
        for reader in waiting[kept.stored.key] ?? [] {
            if case .waiting(let last) = reader.state, kept.stored.last > last { queue(reader) }
        }
    }

    /// What an app may read has changed: who waits learns it, and what was written for it leaves no more.
    func readersChanged(_ app: AppID) {
        for process in Array(authorizer.apps[app]?.processes.values ?? [:].values) {
            for session in process.sessions.values where !mayRead(session) { withdraw(from: session) }
        }
        for (key, readers) in waiting where key.app == app {
            for reader in readers { _ = stillReadable(by: reader) }
        }
    }

    /// A connection is of another app now, or of none.
    func identityChanged(_ session: ClientSession) {
        if session.hasRecorded { withdraw(from: session) }
        for reader in Array(readers.values) where reader.session === session { _ = stillReadable(by: reader) }
    }

    /// What does not fit into the client's socket cannot be taken back in part: the connection ends.
    private func withdraw(from session: ClientSession) {
        guard session.hasRecorded, let connection = session.connection, connection.isOpen, !connection.isDrained else {
            return
        }
        withdrawn += 1
        connection.close(.revoked)
    }

    private func mayRead(_ session: ClientSession) -> Bool {
        session.process != nil && RecordingKeeper.mayRead(authorizer.decide(for: session))
    }

    /// The recording of a reader that may go on; nil where its call was ended.
    private func stillReadable(by reader: RecordingReader) -> KeptRecording? {
        guard !reader.call.isOver, reader.call.connection.isOpen else {
            forget(reader.call)
            return nil
        }
        guard reader.session.process?.app.id == reader.key.app else {
            fail(reader) { refuse($0, .unidentified, reader.session) }
            return nil
        }
        let decision = authorizer.decide(for: reader.session)
        if let reason = decision.refusal, !RecordingKeeper.mayRead(decision) {
            fail(reader) { refuse($0, reason, reader.session) }
            return nil
        }
        guard let kept = keeper.recording(reader.key) else {
            fail(reader) { failNoSuchRecording($0, reader.key.identifier) }
            return nil
        }
        return kept
    }

    private func fail(_ reader: RecordingReader, _ end: (Call) -> Void) {
        forget(reader.call)
        end(reader.call)
    }

    func forget(_ call: Call) {
        if let reader = readers.removeValue(forKey: ObjectIdentifier(call)) { stopWaiting(reader) }
    }

    /// What is recorded while somebody waits is made durable at once.
    private func updateAwaited() {
        guard isAwaited != (awaiting > 0) else { return }
        isAwaited = awaiting > 0
        keeper.journal.setAwaited(isAwaited)
    }

    // Dead letters

    /// Reads an app its own dead letters, or an operator's program that is no app those of any.
    func readRejected(_ call: Call, _ request: ReadRejectedRequest, _ session: ClientSession) {
        let kept: KeptRecording?
        if let app = session.process?.app.id {
            guard request.app.map({ $0 == app.name }) ?? true, request.uid.map({ $0 == app.uid }) ?? true else {
                return refuseStranger(call)
            }
            guard mayRead(call, session) else { return }
            kept = recording(request.identifier, of: app, for: call)
        } else if session.isOperator {
            kept = choose(request.identifier, request.app, request.uid, among: keeper.all, for: call)
        } else {
            return request.app == nil && request.uid == nil ? failNoApp(call, session) : refuseStranger(call)
        }
        guard let kept else { return }
        let key = kept.stored.key
        var reply = EncodedReply.begun()
        reply.key("deadLetters")
        reply.beginArray()
        keeper.journal.readDeadLetters(of: kept.stored.id, after: request.after, limit: request.limit, into: reply) {
            reply, letter in
            RecordedEncoding.write(letter, to: &reply)
        } completion: { [weak self] result in
            DaemonActor.assumeIsolated { self?.took(result, call, session, key) }
        }
    }

    private func took(
        _ result: Result<RecordedPage<JSONWriter>, JournalError>, _ call: Call, _ session: ClientSession,
        _ key: RecordingKey
    ) {
        guard !call.isOver, call.connection.isOpen else { return }
        let isOperator = session.process == nil && session.isOperator
        guard isOperator || session.process?.app.id == key.app else { return refuse(call, .unidentified, session) }
        // What the app may not have any more nobody reads for it.
        let decision = authorizer.policy.decide(for: key.app, at: authorizer.moment)
        if let reason = decision.refusal, !RecordingKeeper.mayRead(decision) { return refuse(call, reason, session) }
        switch result {
        case .failure(let error): fail(call, error, key.identifier)
        case .success(let page):
            guard keeper.recording(key) != nil else { return failNoSuchRecording(call, key.identifier) }
            if isOperator {
                for _ in 0..<page.count { session.countPosition(.full) }
            } else {
                session.hasRecorded = true
            }
            var writer = page.output
            writer.endArray()
            call.reply(EncodedReply(ending: writer, continues: false))
        }
    }

    private func refuseStranger(_ call: Call) {
        refuse(
            call, .recordingNotOperator,
            "Only an operator's program that is no app may read what another app's destination did not take.")
    }
}
