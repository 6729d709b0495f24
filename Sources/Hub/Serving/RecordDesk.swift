import Location
import Records
import Storage

/// What performs tasks, on a thread that may wait for a disk.
protocol HubDesk: Actor {
    /// Performs tasks in order. What they say is stored when this returns.
    func perform(_ tasks: [HubTask], at now: UTCTime) -> [HubResult]
}

/// An engine on a thread of its own.
actor RecordDesk<Engine: RecordEngine>: HubDesk {
    private let thread: StorageThread
    private let engine: Engine
    private let rules: SyncRules
    private let random: @Sendable (Int) -> [UInt8]
    private let signer: @Sendable (Engine) throws(EngineFailure) -> HubSigner
    /// Nil until the signer is there.
    private var api: HubAPI<Engine, HubSigner>?

    /// A desk with this engine, which nothing else uses.
    /// - Parameter signer: Returns the signer of change tokens. It is called on the thread, before the first task and again
    ///   after an error.
    init(
        _ engine: sending Engine, rules: SyncRules, on thread: StorageThread,
        random: @escaping @Sendable (Int) -> [UInt8],
        signer: @escaping @Sendable (Engine) throws(EngineFailure) -> HubSigner
    ) {
        self.thread = thread
        self.engine = engine
        self.rules = rules
        self.random = random
        self.signer = signer
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    func perform(_ tasks: [HubTask], at now: UTCTime) -> [HubResult] {
        do throws(EngineFailure) {
            return perform(tasks, at: now, try opened())
        } catch {
            return tasks.map { $0.result(of: error) }
        }
    }

    private func opened() throws(EngineFailure) -> HubAPI<Engine, HubSigner> {
        if let api { return api }
        let made = HubAPI(store: RecordStore(engine, try signer(engine), rules: rules), random: random)
        api = made
        return made
    }

    private func perform(_ tasks: [HubTask], at now: UTCTime, _ api: HubAPI<Engine, HubSigner>) -> [HubResult] {
        var results: [HubResult] = []
        results.reserveCapacity(tasks.count)
        var rest = tasks[...]
        while !rest.isEmpty {
            let group = rest.prefix(while: \.isWriting)
            if group.count > 1 || engine.readsAhead && !group.isEmpty {
                results += gather(group, at: now, api)
                rest = rest[group.endIndex...]
            } else {
                results.append(api.perform(rest.removeFirst(), at: now))
            }
        }
        return results
    }

    /// Performs tasks that are committed together. If that fails, each is performed on its own, so that only the one that
    /// causes the error fails: a request that was stored all the same is answered as a repeated one.
    private func gather(
        _ tasks: ArraySlice<HubTask>, at now: UTCTime, _ api: HubAPI<Engine, HubSigner>
    ) -> [HubResult] {
        var results: [HubResult] = []
        do throws(EngineFailure) {
            var ahead = ReadAhead()
            if engine.readsAhead { for task in tasks { ahead.merge(api.readAhead(for: task)) } }
            try engine.gather(reading: ahead) { results = tasks.map { api.perform($0, at: now) } }
            return results
        } catch {
            return tasks.map { api.perform($0, at: now) }
        }
    }
}
