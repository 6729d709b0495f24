import Authorization
import Protection
import Storage

extension JournalWriter {
    /// The store, which is opened if it is closed.
    func openedStore() throws(StorageError) -> EventStore {
        if let store { return store }
        let directory = try lockedDirectory()
        loadMachineSecret()
        if formerSecret != nil {
            // Before any row is read: one that only the former secret opens would be regarded as damaged.
            try checkMachineSecret(try EventStore(in: directory, bootID: bootID, Keyring()))
        }
        let opened = try EventStore(in: directory, bootID: bootID, keys)
        try checkMachineSecret(opened)
        try opened.continueSequence(after: newestSeen)
        newestSeen = opened.newest
        let loaded: LoadedAuthorization
        var loss: StorageError?
        if let stored = opened.authorization {
            loaded = stored
        } else {
            (loaded, loss) = try restored(into: opened)
        }
        authorization = loaded.state
        reportMachineSecret()
        // Before the positions, so that decisions are available without waiting for many positions.
        handOver(loaded, LoadedRecordings(opened.recordings.table.all, loss: loss))
        if try opened.recordings.needsMachineSecret() { try prepareMachineSecret(opened) }
        damageNotices += try opened.restorePositions(from: directory.path)
        opened.recordings.setClasses(classes)
        knownRecordings = nil
        outlet.report(.recordingsChanged(opened.recordings.table.all))
        store = opened
        return opened
    }

    /// Restores into a new file the durable data of the one before, except for the positions.
    private func restored(
        into store: EventStore
    ) throws(StorageError) -> (authorization: LoadedAuthorization, loss: StorageError?) {
        let loaded = authorization.map { LoadedAuthorization($0) } ?? salvaged()
        let source = directory?.newestSetAside()
        var found = RecordingSalvage.Found()
        if let knownRecordings {
            found.rows = knownRecordings
        } else if let source {
            found = RecordingSalvage.recordings(in: source)
        }
        if loaded.loss != nil { found.keepUndecided(loaded.state) }
        let (segments, machine) = source.map(RecordingSalvage.seals) ?? ([], nil)
        let now = clock.utcMicroseconds
        try store.commit { () throws(StorageError) in
            try store.database.restore(loaded.state, atMicroseconds: now)
            if let machine { try store.setMachineName(machine) }
            if let source, let name = source.split(separator: "/").last {
                try store.recordings.adopt(found.rows, segments, from: String(name))
            }
        }
        try checkMachineSecret(store)
        return (loaded, found.loss)
    }

    /// The authorization recovered from a file that was set aside now, or by a process that did not complete the
    /// recovery.
    private func salvaged() -> LoadedAuthorization {
        guard let path = directory?.newestSetAside() else { return LoadedAuthorization() }
        let unfinished = StorageError("restore", .unreadable, "it was set aside and no other was made after it")
        return AuthorizationSalvage(path: path, damage: damage ?? unfinished, isLatest: damage != nil).read()
    }

    /// Reports the known authorization and recordings once, before any other result.
    func handOver(_ loaded: LoadedAuthorization, _ recordings: LoadedRecordings) {
        if isHandedOver { return }
        isHandedOver = true
        outlet.report(.loaded(loaded, recordings))
    }

    private func lockedDirectory() throws(StorageError) -> StateDirectory {
        if let directory { return directory }
        let taken = try StateDirectory(path: path, Migrations.schema)
        directory = taken
        return taken
    }
}
