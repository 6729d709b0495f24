import Authorization
import Location

/// Applies commands to a policy and to the reference model, and compares all observable results after each.
struct PropertyRun {
    private var policy = Policy(manifests: PropertyWorld.catalogue(Array(repeating: .complete, count: 3)))
    private var reference = ReferenceModel()
    private var processIDs = [UInt64](repeating: 0, count: PropertyWorld.slotCount)
    /// The identity of the process in each slot; nil if it has ended.
    private var marks: [Continuation.Mark?] = Array(repeating: nil, count: PropertyWorld.slotCount)
    private var nextID: UInt64 = 1
    /// Incremented with every event, so that no two decisions have the same timestamp.
    private var stamp: Int64 = 0
    private var lastPrompt: UInt64 = 0
    /// The pending transactions, oldest first.
    private var inProgress: [(token: UInt64, records: [Policy.Record])] = []
    /// The calls without a reply.
    private var calls: Set<UInt64> = []
    private var storedGrants: [AppID: Grant] = [:]
    private var storedPrompts: [UInt64: Prompt] = [:]
    private var areServicesStoredOn = true
    /// Since when each app may have full positions, by the reference; nil if it may not.
    private var fullSince: [UInt64?] = Array(repeating: nil, count: PropertyWorld.appCount)
    /// The number of deliveries that both permitted.
    private(set) var allowed = 0

    private var now: Instant {
        Instant(
            monotonicNanoseconds: reference.time * 1_000_000,
            utc: UTCTime(microseconds: stamp))
    }

    /// Applies the commands. Returns the first difference from the reference; nil if there is none.
    static func firstDifference(_ commands: [PropertyCommand], allowed: inout Int) -> String? {
        var run = PropertyRun()
        defer { allowed += run.allowed }
        for (index, command) in commands.enumerated() {
            if let difference = run.play(command) { return "after command \(index), \(command): \(difference)" }
        }
        return nil
    }

    private mutating func play(_ command: PropertyCommand) -> String? {
        switch command {
        case .makeDurable(let count):
            for _ in 0..<min(count, inProgress.count) {
                let (token, records) = inProgress.removeFirst()
                store(records)
                reference.becameDurable(token)
                if let difference = step(.wait(milliseconds: 0), .persisted(token)) { return difference }
            }
            return compare()
        case .lose(let after, let count):
            for _ in 0..<count where inProgress.count > after {
                let (token, _) = inProgress.remove(at: after)
                reference.becameLost(token)
                if let difference = step(.wait(milliseconds: 0), .notPersisted(token)) { return difference }
            }
            return compare()
        case .restart(let durable, let name, let variant, let absent, let hasRetained):
            restart(durable: durable, absent: absent, hasRetained: hasRetained) {
                if let variant { $0[name] = variant }
            }
            return compare()
        case .choose(let app, let number, let precise):
            guard
                let choices = policy.prompts.first(where: { $0.app == PropertyWorld.app(app) })?.choices
            else { return nil }
            return play(
                .answer(
                    app: app, choices[number % choices.count], precise: precise, by: PropertyWorld.uid(app)))
        default:
            return step(command, event(for: command))
        }
    }

    private mutating func step(_ command: PropertyCommand, _ event: Policy.Event?) -> String? {
        let statuses = PropertyWorld.appIDs.map { policy.authorizationState(for: $0, at: now) }
        let hadProcess = PropertyWorld.indices.map(reference.hasProcess)
        stamp += 1
        var later = now
        if case .wait(let milliseconds) = command { later.monotonicNanoseconds += milliseconds * 1_000_000 }
        if let call = event?.call { calls.insert(call) }
        let effects = policy.handle(event ?? .timePassed, at: later)
        for case .reply(let id, _) in effects where calls.remove(id) == nil { return "call \(id) is answered again" }
        let token = handle(effects)
        reference.note(command, marks: marks.map { $0?.startTime }, token: token)
        for app in PropertyWorld.indices {
            fullSince[app] = reference.access(app: app) == .full ? fullSince[app] ?? now.monotonicNanoseconds : nil
        }
        for index in PropertyWorld.indices where hadProcess[index] && reference.hasProcess(index) {
            let authorizationState = policy.authorizationState(for: PropertyWorld.appIDs[index], at: now)
            let reported = effects.contains(.authorizationChanged(PropertyWorld.appIDs[index], authorizationState))
            if reported != (authorizationState != statuses[index]) {
                return "app \(index) received \(reported) of \(authorizationState)"
            }
        }
        return compare()
    }

    private mutating func handle(_ effects: [Policy.Effect]) -> UInt64? {
        var token: UInt64?
        for effect in effects {
            guard case .persist(let new, let records) = effect else { continue }
            token = new
            inProgress.append((new, records))
            for case .prompt(let prompt)? in records.map(\.change) { lastPrompt = max(lastPrompt, prompt.id) }
        }
        return token
    }

    private mutating func store(_ records: [Policy.Record]) {
        for record in records {
            switch record.change {
            case .grant(let grant): if let app = record.app { storedGrants[app] = grant }
            case .wasAskedAlways: if let app = record.app { storedGrants[app, default: Grant()].wasAskedAlways = true }
            case .prompt(let prompt):
                storedPrompts = storedPrompts.filter { $0.value.app != prompt.app }
                storedPrompts[prompt.id] = prompt
            case .promptEnded(let id): storedPrompts[id] = nil
            case .services(let isOn): areServicesStoredOn = isOn
            case .tracking: break
            case nil: break
            }
        }
    }

    private mutating func restart(
        durable: Int, absent: UInt64, hasRetained: Bool,
        changing change: (inout [PropertyWorld.ManifestVariant]) -> Void
    ) {
        stamp += 1
        let written = inProgress.prefix(durable)
        for (_, records) in written { store(records) }
        let ended = now.monotonicNanoseconds
        let continuing = policy.continuing.mapValues { retained in
            var retained = retained
            retained.outOfUseSince = retained.outOfUseSince ?? ended
            return retained
        }
        reference.restarted(alsoDurable: written.map(\.token), absent: absent, hasRetained: hasRetained)
        change(&reference.manifests)
        inProgress = []
        calls = []
        policy = Policy(
            restoring: storedGrants, prompts: Array(storedPrompts.values), lastPrompt: lastPrompt,
            areServicesOn: areServicesStoredOn, manifests: PropertyWorld.catalogue(reference.manifests),
            restrictions: reference.restriction.restrictions)
        reference.started(token: handle(policy.start(at: now, continuing: hasRetained ? continuing : [:])))
        // The state that the start finds counts as having existed before.
        fullSince = PropertyWorld.indices.map { reference.access(app: $0) == .full ? 0 : nil }
    }

    private mutating func event(for command: PropertyCommand) -> Policy.Event? {
        nextID += 1
        switch command {
        case .wait, .makeDurable, .lose, .restart, .choose: return nil
        case .attach(let slot, let isInSession, let isAnother):
            guard reference.processes[slot] == nil else { return nil }
            processIDs[slot] = nextID
            let mark =
                (isAnother ? nil : marks[slot]) ?? Continuation.Mark(processID: Int32(slot), startTime: nextID)
            marks[slot] = mark
            return .attached(
                Policy.Process(
                    id: nextID, app: PropertyWorld.app(slot % PropertyWorld.appCount), assurance: .user,
                    isInSession: isInSession, mark: mark))
        case .leave(let slot):
            marks[slot] = nil
            return .exited(processIDs[slot])
        case .declare(let slot, let activity): return .declared(processIDs[slot], activity)
        case .freeze(let slot, let isFrozen): return .froze(processIDs[slot], isFrozen: isFrozen)
        case .hold(let slot): return .holdBegan(processIDs[slot], by: processIDs[slot])
        case .letGo(let slot): return .holdEnded(processIDs[slot])
        case .user(let uid, let state): return .userChanged(uid, state)
        case .request(let slot, let request): return .requested(nextID, request, by: processIDs[slot])
        case .answer(let app, let choice, let precise, let uid):
            return .answered(
                nextID, prompt: prompt(app), choice, precise: precise,
                by: uid.map { .agent(uid: $0) } ?? .operator(uid: 0))
        case .dismiss(let app): return .dismissed(prompt: prompt(app), by: .agent(uid: PropertyWorld.uid(app)))
        case .agent(let uid, let isThere):
            return isThere ? .agentRegistered(UInt64(uid), uid: uid) : .agentUnregistered(UInt64(uid))
        case .set(let app, let permission, let accuracy):
            return .commanded(nextID, .set(PropertyWorld.app(app), permission, accuracy), by: 0)
        case .reset(let app): return .commanded(nextID, .reset(PropertyWorld.app(app)), by: 0)
        case .resetAll: return .commanded(nextID, .resetAll, by: 0)
        case .services(let isOn): return .commanded(nextID, .setServices(isOn: isOn), by: 0)
        case .restrict(let variant): return .restrictionsChanged(variant.restrictions)
        case .manifest(let name, let variant):
            var variants = reference.manifests
            variants[name] = variant
            return .manifestsChanged(PropertyWorld.catalogue(variants))
        case .due(let app): return .positionDue(PropertyWorld.app(app))
        }
    }

    private func prompt(_ app: Int) -> UInt64 {
        policy.prompts.first { $0.app == PropertyWorld.app(app) }?.id ?? 0
    }

    private mutating func compare() -> String? {
        for slot in processIDs.indices {
            let (is_, should) = (policy.decide(for: processIDs[slot], at: now), reference.access(slot: slot))
            if !is_.agrees(with: should) { return "process \(slot) may have \(is_.access), reference: \(should)" }
            if should != .nothing { allowed += 1 }
        }
        for app in PropertyWorld.indices {
            let id = PropertyWorld.appIDs[app]
            let (is_, should) = (policy.decide(for: id, at: now), reference.access(app: app))
            if !is_.agrees(with: should) { return "app \(app) may have \(is_.access), reference: \(should)" }
            let (since, ever) = (fullSince[app], [0, now.monotonicNanoseconds])
            for instant in ever + (since.map { [$0, $0 &- 1] } ?? [])
            where policy.couldHaveFull(id, at: instant) != (since.map { $0 <= instant } ?? false) {
                return "app \(app) could have had full positions at \(instant), reference: since \(since as Any)"
            }
            if policy.isInUse(id) != reference.isInUse(app) { return "app \(app) in use: \(policy.isInUse(id))" }
        }
        let prompts = policy.prompts
        if inProgress.isEmpty, prompts.isEmpty, let call = calls.first { return "call \(call) is never answered" }
        for app in PropertyWorld.indices {
            let shown = prompts.filter { $0.app == PropertyWorld.appIDs[app] }.map(\.kind)
            let should = reference.question(app).map { [reference.apps[app].questions[$0].kind] } ?? []
            if shown != should { return "app \(app) asks \(shown), reference: \(should)" }
        }
        return nil
    }
}

extension PropertyWorld {
    static let indices = 0..<appCount
    static let appIDs = (0..<appCount).map(app)
}

extension Policy.Event {
    /// The number of the call; nil if it is none.
    fileprivate var call: UInt64? {
        switch self {
        case .requested(let id, _, _), .answered(let id, _, _, _, _), .commanded(let id, _, _): id
        default: nil
        }
    }
}

extension Decision {
    fileprivate func agrees(with access: ReferenceModel.Access) -> Bool {
        switch (self.access, access) {
        case (.full, .full), (.reduced, .reduced), (.refused, .nothing): true
        default: false
        }
    }
}
