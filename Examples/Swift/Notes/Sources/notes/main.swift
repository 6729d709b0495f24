import Glibc
import Waymark

/// Notes that are the same on all machines of a person, with and without a network.
actor Notes: SyncEngineDelegate {
    private static let zone = RecordZone.ID(zoneName: "notes")
    private var file: NotesFile
    private var engine: SyncEngine?

    init(_ file: NotesFile) { self.file = file }

    /// Starts the engine, and makes the zone at the first start.
    func start() {
        let isFirst = file.state == nil
        let engine = SyncEngine(
            SyncEngine.Configuration(
                database: Container.default.privateDatabase, stateSerialization: file.state, delegate: self))
        if isFirst { engine.state.add(pendingDatabaseChanges: [.saveZone(RecordZone(zoneID: Self.zone))]) }
        self.engine = engine
    }

    /// Changes a note, or makes one.
    func write(_ name: String, _ text: String) {
        let id = Record.ID(recordName: name, zoneID: Self.zone)
        var note = file.notes[id] ?? Record(recordType: "Note", recordID: id)
        note["text"] = text
        file.notes[id] = note
        engine?.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
    }

    /// Deletes a note.
    func remove(_ name: String) {
        let id = Record.ID(recordName: name, zoneID: Self.zone)
        file.notes[id] = nil
        engine?.state.add(pendingRecordZoneChanges: [.deleteRecord(id)])
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? {
        let pending = syncEngine.state.pendingRecordZoneChanges.filter(context.options.scope.contains)
        return await SyncEngine.RecordZoneChangeBatch(pendingChanges: pending) { file.notes[$0] }
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        switch event {
        case .stateUpdate(let update):
            file.state = update.stateSerialization
            do { try file.store() } catch { show("The notes cannot be stored: \(error)") }
        case .accountChange(let change):
            handle(change, syncEngine)
        case .fetchedDatabaseChanges(let changes):
            for deletion in changes.deletions { file.notes = file.notes.filter { $0.key.zoneID != deletion.zoneID } }
        case .fetchedRecordZoneChanges(let changes):
            // What this app has changed, and has not sent yet, becomes a conflict, which `resolve` handles.
            let own = Set(syncEngine.state.pendingRecordZoneChanges.map(\.recordID))
            for note in changes.modifications where !own.contains(note.recordID) { file.notes[note.recordID] = note }
            for id in changes.deletions where !own.contains(id) { file.notes[id] = nil }
            list()
        case .sentRecordZoneChanges(let sent):
            for note in sent.savedRecords { file.notes[note.recordID] = note }
            for failure in sent.failedRecordSaves { resolve(failure.recordID, failure.error, syncEngine) }
        case .didReset:
            file.notes = [:]
        case .sentDatabaseChanges, .willFetchChanges, .didFetchChanges, .willSendChanges, .didSendChanges:
            break
        }
    }

    private func handle(_ change: SyncEngine.Event.AccountChange, _ syncEngine: SyncEngine) {
        switch change.changeType {
        case .signIn(let user): show("Notes of \(user).")
        case .signOut, .switchAccounts: file.notes = [:]
        }
        syncEngine.state.add(pendingDatabaseChanges: [.saveZone(RecordZone(zoneID: Self.zone))])
    }

    /// Two machines have changed a note: both texts are in it afterwards.
    private func resolve(_ id: Record.ID, _ error: RecordError, _ syncEngine: SyncEngine) {
        guard error.code == .serverRecordChanged, var note = error.serverRecord else {
            return show("\(id.recordName) is not saved: \(error.message)")
        }
        let (mine, theirs) = (error.clientRecord?["text"] as? String ?? "", note["text"] as? String ?? "")
        note["text"] = "\(theirs) | \(mine)"
        file.notes[id] = note
        syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
    }

    private func list() {
        for note in file.notes.values.sorted(by: { $0.recordID.recordName < $1.recordID.recordName }) {
            show("\(note.recordID.recordName): \(note["text"] as? String ?? "")")
        }
    }
}

/// Prints a line at once, also where the output is a pipe.
func show(_ line: String) {
    print(line)
    fflush(nil)
}

// `notes FILE` shows the notes and their changes; `notes FILE NAME TEXT` changes one before, `notes FILE NAME` deletes one.
let words = Array(CommandLine.arguments.dropFirst())
guard (1...3).contains(words.count) else { fatalError("usage: notes FILE [NAME [TEXT]]") }
let notes = Notes(NotesFile(words[0]))
await notes.start()
switch words.count {
case 2: await notes.remove(words[1])
case 3: await notes.write(words[1], words[2])
default: break
}
// Until a signal ends the program.
while true { try await Task.sleep(for: .seconds(3_600)) }
