import Location
import Platform
import Records
import Storage

/// What performs tasks, on a thread that may wait for a disk.
protocol HubDesk: Actor {
    /// Performs tasks in order until none waits. Passes on the results of each group when what they say is stored.
    func perform(
        _ waiting: WaitingTasks, _ clock: any TimeSource,
        _ finish: @Sendable ([WaitingTasks.Item], [HubResult]) -> Void)
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

    func perform(
        _ waiting: WaitingTasks, _ clock: any TimeSource,
        _ finish: @Sendable ([WaitingTasks.Item], [HubResult]) -> Void
    ) {
        var early: Group?
        while let group = early ?? prepared(waiting.nextGroup(), clock) {
            early = nil
            let results = perform(group) {
                early = prepared(waiting.nextGroupEarly(), clock)
                return early?.ahead ?? ReadAhead()
            }
            finish(group.items, results)
        }
    }

    /// Tasks that are taken at once.
    private struct Group {
        let items: [WaitingTasks.Item]
        /// Their parts, or why there is no engine.
        let parts: Result<(HubAPI<Engine, HubSigner>, [Part]), EngineFailure>
        let now: UTCTime

        /// What those read with which the group begins, and which are committed together.
        var ahead: ReadAhead {
            if case .success((_, let parts)) = parts, let first = parts.first { first.ahead } else { ReadAhead() }
        }
    }

    /// Tasks of a group that follow one another, all of which write, or none of them.
    private struct Part {
        let isWriting: Bool
        var tasks: [PreparedTask] = []
        /// What all of them read that write, as far as that is known.
        var ahead = ReadAhead()
    }

    /// Tasks with what is known of them before they are performed; nil without any.
    private func prepared(_ items: [WaitingTasks.Item], _ clock: any TimeSource) -> Group? {
        guard !items.isEmpty else { return nil }
        let now = UTCTime(microseconds: clock.utcMicroseconds)
        do throws(EngineFailure) {
            let api = try opened()
            return Group(items: items, parts: .success((api, parts(items, api))), now: now)
        } catch {
            return Group(items: items, parts: .failure(error), now: now)
        }
    }

    private func parts(_ items: [WaitingTasks.Item], _ api: HubAPI<Engine, HubSigner>) -> [Part] {
        var parts: [Part] = []
        // All write, as a rule.
        var part = Part(isWriting: items.first?.task.isWriting == true, ahead: ReadAhead(requests: items.count))
        part.tasks.reserveCapacity(items.count)
        for item in items {
            let task = item.task
            if task.isWriting != part.isWriting {
                parts.append(part)
                part = Part(isWriting: task.isWriting)
            }
            part.tasks.append(engine.readsAhead ? api.prepared(task, into: &part.ahead) : PreparedTask(task))
        }
        return parts + [part]
    }

    private func opened() throws(EngineFailure) -> HubAPI<Engine, HubSigner> {
        if let api { return api }
        let made = HubAPI(store: RecordStore(engine, try signer(engine), rules: rules), random: random)
        api = made
        return made
    }

    /// Performs a group.
    /// - Parameter next: Prepares the next group, and returns what that reads. It may not be called.
    private func perform(_ group: Group, before next: () -> ReadAhead) -> [HubResult] {
        let api: HubAPI<Engine, HubSigner>
        let parts: [Part]
        switch group.parts {
        case .failure(let error): return group.items.map { $0.task.result(of: error) }
        case .success(let prepared): (api, parts) = prepared
        }
        var results: [HubResult] = []
        results.reserveCapacity(group.items.count)
        for (place, part) in parts.enumerated() {
            if part.isWriting, part.tasks.count > 1 || engine.readsAhead {
                results += gather(part, at: group.now, api) { place == parts.count - 1 ? next() : ReadAhead() }
            } else {
                results += part.tasks.map { api.perform($0, at: group.now) }
            }
        }
        return results
    }

    /// Performs tasks that are committed together. If that fails, each is performed on its own, so that only the one that
    /// causes the error fails: a request that was stored all the same is answered as a repeated one.
    private func gather(
        _ part: Part, at now: UTCTime, _ api: HubAPI<Engine, HubSigner>, before next: () -> ReadAhead
    ) -> [HubResult] {
        var results: [HubResult] = []
        do throws(EngineFailure) {
            try engine.gather(reading: part.ahead, before: next) {
                results = part.tasks.map { api.perform($0, at: now) }
            }
            return results
        } catch {
            // One alone would meet the same error once more.
            guard part.tasks.count > 1 else { return part.tasks.map { $0.task.result(of: error) } }
            return part.tasks.map { api.perform($0, at: now) }
        }
    }
}
