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

    /// Tasks that are performed one after the other.
    private struct Group {
        let items: [WaitingTasks.Item]
        let requests: [PreparedTask]
        /// What those read with which the group begins, and which are committed together.
        let ahead: ReadAhead
        let now: UTCTime
        let api: Result<HubAPI<Engine, HubSigner>, EngineFailure>

        init(
            _ items: [WaitingTasks.Item], _ requests: [PreparedTask], at now: UTCTime,
            _ api: Result<HubAPI<Engine, HubSigner>, EngineFailure>
        ) {
            self.items = items
            self.requests = requests
            ahead = requests.prefix(while: \.task.isWriting).ahead
            self.now = now
            self.api = api
        }
    }

    /// Tasks with what is known of them before they are performed; nil without any.
    private func prepared(_ items: [WaitingTasks.Item], _ clock: any TimeSource) -> Group? {
        guard !items.isEmpty else { return nil }
        let now = UTCTime(microseconds: clock.utcMicroseconds)
        do throws(EngineFailure) {
            let api = try opened()
            let tasks = items.map { engine.readsAhead ? api.prepared($0.task) : PreparedTask($0.task) }
            return Group(items, tasks, at: now, .success(api))
        } catch {
            return Group(items, [], at: now, .failure(error))
        }
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
        switch group.api {
        case .failure(let error): return group.items.map { $0.task.result(of: error) }
        case .success(let opened): api = opened
        }
        var results: [HubResult] = []
        results.reserveCapacity(group.requests.count)
        var rest = group.requests[...]
        var ahead: ReadAhead? = group.ahead
        while !rest.isEmpty {
            let writing = rest.prefix(while: \.task.isWriting)
            if writing.count > 1 || engine.readsAhead && !writing.isEmpty {
                rest = rest[writing.endIndex...]
                results += gather(writing, ahead ?? writing.ahead, at: group.now, api) {
                    rest.isEmpty ? next() : ReadAhead()
                }
            } else {
                results.append(api.perform(rest.removeFirst(), at: group.now))
            }
            ahead = nil
        }
        return results
    }

    /// Performs tasks that are committed together. If that fails, each is performed on its own, so that only the one that
    /// causes the error fails: a request that was stored all the same is answered as a repeated one.
    private func gather(
        _ tasks: ArraySlice<PreparedTask>, _ ahead: ReadAhead, at now: UTCTime, _ api: HubAPI<Engine, HubSigner>,
        before next: () -> ReadAhead
    ) -> [HubResult] {
        var results: [HubResult] = []
        do throws(EngineFailure) {
            try engine.gather(reading: ahead, before: next) { results = tasks.map { api.perform($0, at: now) } }
            return results
        } catch {
            // One alone would meet the same error once more.
            guard tasks.count > 1 else { return tasks.map { $0.task.result(of: error) } }
            return tasks.map { api.perform($0, at: now) }
        }
    }
}

extension ArraySlice<PreparedTask> {
    /// What all of them read.
    fileprivate var ahead: ReadAhead { reduce(into: ReadAhead()) { $0.merge($1.ahead) } }
}
