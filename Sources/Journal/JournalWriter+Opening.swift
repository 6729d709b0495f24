import Authorization

extension JournalWriter {
    /// The store, opened where it is not.
    func openedStore() throws(JournalError) -> EventStore {
        if let store { return store }
        let directory = try lockedDirectory()
        let opened = try EventStore(in: directory, bootID: bootID)
        try opened.continueSequence(after: newestSeen)
        newestSeen = opened.newest
        let loaded: LoadedAuthorization
        var loss: JournalError?
        if let stored = opened.authorization {
            loaded = stored
        } else {
            (loaded, loss) = try restored(into: opened)
        }
        authorization = loaded.state
        // Now, as what was decided is not to wait for many positions.
        handOver(loaded, LoadedRecordings(opened.recordings.table.all, loss: loss))
        damageNotices += try opened.restorePositions(from: directory.path)
        knownRecordings = nil
        outlet.recordingsChanged(opened.recordings.table.all)
        store = opened
        return opened
    }

    /// Brings into a new file what was durable in the one before, but for the positions.
    private func restored(
        into store: EventStore
    ) throws(JournalError) -> (authorization: LoadedAuthorization, loss: JournalError?) {
        let loaded = authorization.map { LoadedAuthorization($0) } ?? salvaged()
        let source = directory?.newestSetAside()
        var found = RecordingSalvage.Found()
        if let knownRecordings {
            found.rows = knownRecordings
        } else if let source {
            found = RecordingSalvage.recordings(in: source)
        }
        if loaded.loss != nil { found.keepUndecided(loaded.state) }
        let now = clock.utcMicroseconds
        try store.commit { () throws(JournalError) in
            try store.database.restore(loaded.state, atMicroseconds: now)
            if let source, let name = source.split(separator: "/").last {
                try store.recordings.adopt(found.rows, from: String(name))
            }
        }
        return (loaded, found.loss)
    }

    /// What can be known from a file that was set aside: now, or by a process that came to no end of it.
    private func salvaged() -> LoadedAuthorization {
        guard let path = directory?.newestSetAside() else { return LoadedAuthorization() }
        let unfinished = JournalError("restore", .unreadable, "it was set aside and no other was made after it")
        return AuthorizationSalvage(path: path, damage: damage ?? unfinished, isLatest: damage != nil).read()
    }

    /// Says once what is known of authorization and recordings, before anything else is answered.
    func handOver(_ loaded: LoadedAuthorization, _ recordings: LoadedRecordings) {
        if isHandedOver { return }
        isHandedOver = true
        outlet.loaded(loaded, recordings)
    }

    private func lockedDirectory() throws(JournalError) -> StateDirectory {
        if let directory { return directory }
        let taken = try StateDirectory(path: path)
        directory = taken
        return taken
    }
}
