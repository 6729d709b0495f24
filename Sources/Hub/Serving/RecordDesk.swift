import Journal
import Location
import Records

/// What performs tasks, on a thread that may wait for a disk.
protocol HubDesk: Actor {
    /// Performs tasks in order. What they say is stored when this returns.
    func perform(_ tasks: [HubTask], at now: UTCTime) -> [HubResult]
}

/// An engine on a thread of its own.
actor RecordDesk<Engine: RecordEngine>: HubDesk {
    private let thread: StorageThread
    private let engine: Engine
    private let api: HubAPI<Engine, HubSigner>

    /// A desk with this engine, which nothing else uses.
    init(
        _ engine: sending Engine, _ signer: HubSigner, rules: SyncRules, on thread: StorageThread,
        random: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.thread = thread
        self.engine = engine
        api = HubAPI(store: RecordStore(engine, signer, rules: rules), random: random)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    func perform(_ tasks: [HubTask], at now: UTCTime) -> [HubResult] {
        var results: [HubResult] = []
        results.reserveCapacity(tasks.count)
        var rest = tasks[...]
        while !rest.isEmpty {
            let group = rest.prefix(while: \.isWriting)
            if group.count > 1 {
                results += gather(group, at: now)
                rest = rest[group.endIndex...]
            } else {
                results.append(api.perform(rest.removeFirst(), at: now))
            }
        }
        return results
    }

    /// Performs tasks that are committed together. If that fails, each is performed on its own, so that only the one that
    /// causes the error fails: a request that was stored all the same is answered as a repeated one.
    private func gather(_ tasks: ArraySlice<HubTask>, at now: UTCTime) -> [HubResult] {
        var results: [HubResult] = []
        do throws(EngineFailure) {
            try engine.gather { results = tasks.map { api.perform($0, at: now) } }
            return results
        } catch {
            return tasks.map { api.perform($0, at: now) }
        }
    }
}
