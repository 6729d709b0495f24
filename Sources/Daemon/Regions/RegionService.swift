import Authorization
import Interfaces
import JSONText
import Platform
import Regions
import RegionStorage
import Varlink

/// `io.waymark.Regions`: apps and operators' programs add, remove, show and monitor regions.
@DaemonActor
final class RegionService: RegionsInterface.Handler {
    /// Answers a call of this owner.
    typealias Body<Method: VarlinkMethod> =
        @DaemonActor (MethodCall<Method>, ClientSession, RegionOwner) throws(RegionsInterface.Failure) -> Void

    let registry: RegionRegistry
    let authorizer: Authorizer
    private let clients: Clients
    var streams: [ObjectIdentifier: RegionStream] = [:]
    /// The regions that connections have staged, by session.
    private var stagings: [ObjectIdentifier: [MonitorKey: UInt64]] = [:]
    private var lastStaging: UInt64 = 0
    /// Calls that wait for the stored regions.
    private let waiting = WaitingCalls()
    /// Calls of `Monitor` that wait until the data is unlocked, and have not ended meanwhile.
    private var locked: [ObjectIdentifier: @DaemonActor () -> Void] = [:]
    /// Connections closed since the daemon's start because a queued event may not be seen any more.
    var withdrawn = 0

    init(registry: RegionRegistry, authorizer: Authorizer, clients: Clients) {
        self.registry = registry
        self.authorizer = authorizer
        self.clients = clients
    }

    /// The regions' part of the daemon's status.
    var status: DaemonStatus.Regions { registry.status(streams: streams.count) }

    // Callers

    /// Handles a call when the stored regions are known, or ends it if they cannot be read; while the data is locked, one that
    /// waits is handled later.
    func whenLoaded<Method: VarlinkMethod>(
        _ call: MethodCall<Method>, waitsForUnlock: Bool = false, _ body: @escaping Body<Method>
    ) where Method.Failure == RegionsInterface.Failure {
        let perform = { @DaemonActor [weak self] in
            guard let self, !call.call.isOver || call.call.request.oneway, call.connection.isOpen else { return }
            do throws(RegionsInterface.Failure) {
                let session = clients.session(of: call.connection)
                let owner = try owner(session)
                switch registry.state {
                case .locked where waitsForUnlock: waitForUnlock(call, body)
                case .locked(let reason): throw RegionsInterface.Failure.locked(reason)
                case .failed(let reason): throw RegionsInterface.Failure.unavailable(reason)
                case .opening, .ready: try body(call, session, owner)
                }
            } catch {
                call.fail(error)
            }
        }
        if registry.state == .ready { return perform() }
        waiting.add(call.call, of: clients.share(of: call.connection.peer), perform) {
            call.fail(RegionsInterface.Failure.unavailable("too many calls of this user wait until they were read"))
        }
        if registry.state != .opening { registry.open() }
    }

    /// The stored regions are known, or could not be read.
    func loaded() {
        var calls = waiting.removeAll()
        if case .locked = registry.state {
        } else {
            calls += locked.values
            locked = [:]
        }
        for call in calls { call() }
    }

    private func waitForUnlock<Method: VarlinkMethod>(_ call: MethodCall<Method>, _ body: @escaping Body<Method>)
    where Method.Failure == RegionsInterface.Failure {
        let number = ObjectIdentifier(call.call)
        locked[number] = { [weak self] in self?.whenLoaded(call, waitsForUnlock: true, body) }
        call.call.onEnd = { [weak self] in self?.locked[number] = nil }
    }

    private func owner(_ session: ClientSession) throws(RegionsInterface.Failure) -> RegionOwner {
        if let app = session.process?.app.id { return RegionOwner(app) }
        guard session.isOperator else {
            let why = session.complaint.map { " (\($0))" } ?? ""
            throw .notAllowed(
                message: "Only apps and operators' programs have regions, and no manifest fits this program\(why). See"
                    + " `waymark manifest --help`.")
        }
        return RegionOwner(uid: session.userID, app: nil)
    }

    func storedMonitor(_ name: String, of owner: RegionOwner) throws(RegionsInterface.Failure) -> StoredMonitor {
        guard let monitor = registry.watches[owner]?.monitors[name] else { throw .noSuchMonitor(named: name) }
        return monitor
    }

    /// Ends a call with the gate's refusal.
    func refuse(_ call: Call, _ refusal: RegionDecision.Refusal, _ session: ClientSession) {
        switch refusal {
        case .refused(let reason): call.fail(reason, complaint: session.complaint)
        case .accuracyReduced: call.failAccuracyReduced()
        }
    }

    // Adding and removing

    func add(_ call: MethodCall<RegionsInterface.Add>) throws(RegionsInterface.Failure) {
        let request = call.parameters
        guard RecordingIdentifier.isValid(request.monitor) else { throw .invalidMonitorName }
        guard request.regions.count <= RegionQuotas.regionsOfCall else {
            throw .tooManyRegions(
                message: "A call adds at most \(RegionQuotas.regionsOfCall) regions: make more calls, staged ones where"
                    + " all have to be added at once.")
        }
        whenLoaded(call) { [weak self] (call, session, owner) throws(RegionsInterface.Failure) in
            guard let self else { return }
            let key = MonitorKey(owner: owner, name: request.monitor)
            let staging = request.staged == true ? staging(of: session, key) : nil
            registry.store.compute {
                Result { () throws(RegionsInterface.Failure) in try request.regions.validated() }
            } completion: { [weak self, call = call.later] result in
                DaemonActor.assumeIsolated {
                    switch result {
                    case .failure(let error): call.fail(.init(error, of: key.name))
                    case .success(.failure(let failure)): call.fail(failure)
                    case .success(.success(let regions)):
                        if let staging {
                            self?.stage(regions, key, staging, session, call)
                        } else {
                            self?.registry.add(regions, to: key) { call.answer($0, key) }
                        }
                    }
                }
            }
        }
    }

    private func stage(
        _ regions: [NewRegion], _ key: MonitorKey, _ staging: UInt64, _ session: ClientSession,
        _ call: LateCall<RegionsInterface.Add>
    ) {
        // The connection was closed meanwhile, and what it had staged was dropped.
        guard stagings[ObjectIdentifier(session)]?[key] == staging else { return }
        registry.store.stage(regions, for: staging, to: key, limits: .daemon) { result in
            DaemonActor.assumeIsolated {
                switch result {
                case .success: call.reply(.init(added: Int64(regions.count), replaced: 0))
                case .failure(let error): call.fail(.init(error, of: key.name))
                }
            }
        }
    }

    /// The number under which a connection stages regions for a monitor.
    private func staging(of session: ClientSession, _ key: MonitorKey) -> UInt64 {
        if let number = stagings[ObjectIdentifier(session)]?[key] { return number }
        lastStaging += 1
        stagings[ObjectIdentifier(session), default: [:]][key] = lastStaging
        return lastStaging
    }

    /// Discards the regions that a closed connection has staged.
    func discardStaged(by session: ClientSession) {
        for number in (stagings.removeValue(forKey: ObjectIdentifier(session)) ?? [:]).values {
            registry.store.discard(number)
        }
    }

    func commit(_ call: MethodCall<RegionsInterface.Commit>) throws(RegionsInterface.Failure) {
        whenLoaded(call) { [weak self] (call, session, owner) throws(RegionsInterface.Failure) in
            guard let self else { return }
            let key = MonitorKey(owner: owner, name: call.parameters.monitor)
            guard let staging = stagings[ObjectIdentifier(session)]?.removeValue(forKey: key) else {
                throw .nothingStaged(of: key.name)
            }
            registry.commit(staging, to: key) { [weak self, call = call.later] result in
                if case .failure = result { self?.registry.store.discard(staging) }
                call.answer(result, key)
            }
        }
    }

    func remove(_ call: MethodCall<RegionsInterface.Remove>) throws(RegionsInterface.Failure) {
        whenLoaded(call) { [weak self] (call, _, owner) throws(RegionsInterface.Failure) in
            guard let self else { return }
            let request = call.parameters
            let key = MonitorKey(owner: owner, name: request.monitor)
            if registry.watches[owner]?.monitors[key.name] == nil {
                // Done before a restart, when the reply could not be sent any more.
                guard call.call.isResumed else { throw .noSuchMonitor(named: key.name) }
                return call.reply(.init(removed: 0))
            }
            registry.remove(request.identifiers, from: key) { [call = call.later] result in
                switch result {
                case .success(let removed): call.reply(.init(removed: Int64(removed.removed)))
                case .failure(let error): call.fail(.init(error, of: key.name))
                }
            }
        }
    }

    func acknowledge(_ call: MethodCall<RegionsInterface.Acknowledge>) throws(RegionsInterface.Failure) {
        whenLoaded(call) { [weak self] (call, _, owner) throws(RegionsInterface.Failure) in
            guard let self else { return }
            let key = try storedMonitor(call.parameters.monitor, of: owner).key
            registry.acknowledge(key, upTo: call.parameters.upTo) { [call = call.later] result in
                switch result {
                case .success(let number): call.reply(.init(acknowledged: number))
                case .failure(.noSuchEvent(let last)): call.fail(.noSuchEvent(call.parameters.upTo, last: last))
                case .failure(let error): call.fail(.init(error, of: key.name))
                }
            }
        }
    }
}

extension LateCall where Method.Failure == RegionsInterface.Failure {
    /// Replies to a call that has added regions.
    fileprivate func answer(_ result: Result<AddedRegions, RegionStorageError>, _ key: MonitorKey)
    where Method.Reply == RegionsInterface.Add.Reply {
        switch result {
        case .success(let added): reply(.init(added: Int64(added.added), replaced: Int64(added.replaced)))
        case .failure(let error): fail(.init(error, of: key.name))
        }
    }

    fileprivate func answer(_ result: Result<AddedRegions, RegionStorageError>, _ key: MonitorKey)
    where Method.Reply == RegionsInterface.Commit.Reply {
        switch result {
        case .success(let added): reply(.init(added: Int64(added.added), replaced: Int64(added.replaced)))
        case .failure(let error): fail(.init(error, of: key.name))
        }
    }
}
