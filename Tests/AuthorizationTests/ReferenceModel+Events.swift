import Authorization
import Location

extension ReferenceModel {
    /// Records a command. `token` is the policy's number of the transaction that it caused.
    mutating func note(_ command: PropertyCommand, marks: [UInt64?], token: UInt64?) {
        if case .wait(let milliseconds) = command { time += milliseconds }
        for app in apps.indices {
            if let index = question(app), let shown = apps[app].questions[index].shownAt, time >= shown + 120_000 {
                close(app, token)
            }
            if let onceSince = apps[app].onceSince, last(app).permission == .once,
                !isInUse(app) || isUnavailable(app)
            {
                let since = leftUse(app, onceSince: onceSince)
                if time >= since + 10_000 { decide(app, .notDetermined, isFull: true, token) }
            }
        }
        happen(command, marks, token)
        for app in apps.indices {
            let isUsed = isInUse(app)
            if isUsed != apps[app].wasInUse {
                apps[app].wasInUse = isUsed
                apps[app].useChanges.append(time)
            }
            resumeTemporary(app)
            if last(app).permission == .once, !isUsed, !hasProcess(app), !isUnavailable(app) {
                decide(app, .notDetermined, isFull: true, token)
            }
            if let index = question(app), !isStillOpen(app, apps[app].questions[index].kind) { close(app, token) }
            let isOnce = last(app).permission == .once
            apps[app].onceSince = isOnce ? apps[app].onceSince ?? time : nil
        }
    }

    private mutating func happen(_ command: PropertyCommand, _ marks: [UInt64?], _ token: UInt64?) {
        switch command {
        case .wait: break
        case .attach(let slot, let isInSession, _):
            let manifest = manifests[slot % 3]
            guard processes[slot] == nil, manifest != .missing else { break }
            processes[slot] = Process(isInSession: isInSession, binding: manifest.binding, mark: marks[slot])
            let app = slot % PropertyWorld.appCount
            // The number of changes of use, without the one that this command causes.
            if let mark = marks[slot], let absence = apps[app].absence, absence.marks.contains(mark) {
                let changes = apps[app].useChanges.count
                apps[app].absence?.back = absence.back ?? changes
            }
        case .leave(let slot): end(slot)
        case .declare(let slot, let activity): processes[slot]?.activity = activity
        case .freeze(let slot, let isFrozen): processes[slot]?.isFrozen = isFrozen
        case .hold(let slot):
            let app = slot % PropertyWorld.appCount
            let absence = apps[app].absence
            let mayAgain =
                absence.map { absence in
                    time < absence.heldUntil && processes[slot]?.mark.map(absence.holders.contains) ?? false
                } ?? false
            if isInUse(app) || mayAgain { processes[slot]?.isHolding = true }
        case .letGo(let slot):
            guard let process = processes[slot], process.isHolding else { break }
            processes[slot]?.isHolding = false
            if let mark = process.mark { apps[slot % PropertyWorld.appCount].absence?.holders.remove(mark) }
        case .user(let uid, let state): users[uid] = state
        case .request(let slot, let request): ask(slot, request, token)
        case .answer(let app, let choice, let precise, let uid): answer(app, choice, precise, uid, token)
        case .dismiss(let app): if question(app) != nil { close(app, token) }
        case .agent(let uid, let isThere): changeAgent(uid, isThere, token)
        case .set(let app, let permission, let accuracy):
            guard manifests[app % 3] != .missing || (!isAuthorized(permission) && isKnown(app)) else { break }
            if isAuthorized(permission), isRestricted(app) { break }
            apps[app].temporary = nil
            let before = last(app)
            let isFull =
                accuracy.map { $0 == .full }
                ?? (isAuthorized(before.permission) ? before.isFull : manifests[app % 3] != .reduced)
            decide(app, permission, isFull: isFull || !isAuthorized(permission), token)
        case .reset(let app): forget(app, token)
        case .resetAll: for app in apps.indices { forget(app, token) }
        case .services(let isOn):
            let base = services.lastIndex { isDurable($0.1) } ?? 0
            if areServicesDecidedOn != isOn || services[base...].contains(where: { isLost($0.1) }) {
                services.append((isOn, token))
            }
        case .restrict(let variant): restriction = variant
        case .manifest(let name, let variant):
            manifests[name] = variant
            checkBindings(token)
        case .due(let app): positionDue(app, token)
        case .makeDurable, .lose, .restart, .choose: break
        }
    }

    private func isKnown(_ app: Int) -> Bool {
        hasProcess(app) || question(app) != nil || !last(app).isNone || wasAskedAlways(app)
            || base(app) < apps[app].decisions.count - 1
    }

    private mutating func decide(_ app: Int, _ permission: Permission, isFull: Bool, _ token: UInt64?) {
        let manifest = manifests[app % 3]
        let binding = manifest == .missing ? last(app).binding : manifest.binding
        apps[app].absence = nil
        apps[app].decisions.append(
            Decision(permission: permission, isFull: isFull, binding: binding, token: token))
        apps[app].askedAlways.append((wasAskedAlways(app), token))
    }

    private mutating func forget(_ app: Int, _ token: UInt64?) {
        apps[app].temporary = nil
        apps[app].absence = nil
        apps[app].backgroundQuestion = nil
        // Without a decision there is nothing to reset.
        if last(app).isNone, !wasAskedAlways(app), !hasLost(app) { return }
        apps[app].decisions.append(
            Decision(permission: .notDetermined, isFull: true, binding: nil, token: token, isNone: true))
        apps[app].askedAlways.append((false, token))
    }

    private mutating func checkBindings(_ token: UInt64?) {
        for app in apps.indices where manifests[app % 3] != .missing {
            let binding = manifests[app % 3].binding
            for slot in processes.indices where slot % PropertyWorld.appCount == app {
                if let process = processes[slot], process.binding != binding { end(slot) }
            }
            if let granted = last(app).binding, granted != binding { forget(app, token) }
        }
    }

    /// A process has ended or is no longer identified, and cannot return.
    private mutating func end(_ slot: Int) {
        let app = slot % PropertyWorld.appCount
        if let mark = processes[slot]?.mark {
            apps[app].absence?.marks.remove(mark)
            apps[app].absence?.holders.remove(mark)
        }
        processes[slot] = nil
    }

    /// Temporary full accuracy continues if the app is in use again in time.
    private mutating func resumeTemporary(_ app: Int) {
        guard let absence = apps[app].absence, absence.back != nil, absence.hadTemporary, isInUse(app) else { return }
        apps[app].absence?.hadTemporary = false
        let use = apps[app].useChanges.count
        guard time < absence.since + 10_000, apps[app].temporary?.use != use else { return }
        apps[app].temporary = (0, use)
        apps[app].isTemporaryDurable = true
    }

    private mutating func close(_ app: Int, _ token: UInt64?) {
        guard let index = question(app) else { return }
        apps[app].questions[index].isOver = true
        apps[app].questions[index].ended = token
    }

    private func wasAskedAlways(_ app: Int) -> Bool { apps[app].askedAlways.last?.0 ?? false }

    private func isStillOpen(_ app: Int, _ kind: Prompt.Kind) -> Bool {
        guard areServicesOn, !isRestricted(app), manifests[app % 3] != .missing else { return false }
        let last = last(app)
        switch kind {
        case .whenInUse, .always: return last.permission == .notDetermined
        case .changeToAlways: return last.permission == .whenInUse && !noAlways
        case .confirmAlways: return last.permission == .provisionalAlways && !noAlways
        case .temporaryFullAccuracy: return isAuthorized(last.permission) && !last.isFull && !noFull
        // `TrackingAuthorizationPropertyTests` has a model of its own.
        case .tracking: return false
        }
    }

    private mutating func ask(_ slot: Int, _ request: Policy.Request, _ token: UInt64?) {
        let app = slot % PropertyWorld.appCount
        let manifest = manifests[app % 3]
        guard processes[slot] != nil, manifest != .missing, areServicesOn, !isRestricted(app) else { return }
        let isExplained =
            switch request {
            case .whenInUse: true
            case .always: manifest != .withoutAlways
            case .temporaryFullAccuracy(let key): key == "turns"
            case .tracking: false
            }
        // A process that had the authorization for once would have returned before its request.
        if isExplained, isUnavailable(app) { decide(app, .notDetermined, isFull: true, token) }
        guard isInUse(app), question(app) == nil else { return }
        let last = last(app)
        switch request {
        case .whenInUse:
            if last.permission == .notDetermined { raise(app, .whenInUse, token) }
        case .always:
            guard manifest != .withoutAlways else { return }
            if last.permission == .notDetermined {
                raise(app, noAlways ? .whenInUse : .always, token)
            } else if last.permission == .whenInUse, !noAlways, !wasAskedAlways(app) {
                raise(app, .changeToAlways, token)
            }
        case .temporaryFullAccuracy(let key):
            guard key == "turns", isAuthorized(last.permission), !last.isFull, !noFull else { return }
            if let temporary = apps[app].temporary, temporary.use == apps[app].useChanges.count { return }
            raise(app, .temporaryFullAccuracy(key: key), token)
        case .tracking: break
        }
    }

    private mutating func positionDue(_ app: Int, _ token: UInt64?) {
        guard manifests[app % 3] != .missing, areServicesOn, !isRestricted(app), !noAlways, !isInUse(app),
            question(app) == nil, last(app).permission == .provisionalAlways,
            apps[app].backgroundQuestion != apps[app].useChanges.count
        else { return }
        apps[app].backgroundQuestion = apps[app].useChanges.count
        raise(app, .confirmAlways, token)
    }

    private mutating func raise(_ app: Int, _ kind: Prompt.Kind, _ token: UInt64?) {
        apps[app].questions.append(Question(kind: kind, raised: token))
        if agents.contains(PropertyWorld.uid(app)) { show(app, token) }
    }

    private mutating func show(_ app: Int, _ token: UInt64?) {
        guard let index = question(app) else { return }
        apps[app].questions[index].shownAt = time
        switch apps[app].questions[index].kind {
        case .changeToAlways, .confirmAlways:
            if !wasAskedAlways(app) { apps[app].askedAlways.append((true, token)) }
        case .whenInUse, .always, .temporaryFullAccuracy, .tracking: break
        }
    }

    private mutating func changeAgent(_ uid: UInt32, _ isThere: Bool, _ token: UInt64?) {
        guard agents.contains(uid) != isThere else { return }
        if isThere { agents.insert(uid) } else { agents.remove(uid) }
        for app in apps.indices where PropertyWorld.uid(app) == uid {
            guard let index = question(app) else { continue }
            if isThere { show(app, token) } else { apps[app].questions[index].shownAt = nil }
        }
    }

    private mutating func answer(
        _ app: Int, _ choice: PromptChoice, _ precise: Bool, _ uid: UInt32?, _ token: UInt64?
    ) {
        guard let index = question(app), uid == nil || uid == PropertyWorld.uid(app) else { return }
        let kind = apps[app].questions[index].kind
        let isFull = last(app).isFull
        switch (kind, choice) {
        case (.whenInUse, .allowOnce), (.always, .allowOnce): decide(app, .once, isFull: precise, token)
        case (.whenInUse, .allowWhileUsing): decide(app, .whenInUse, isFull: precise, token)
        case (.always, .allowWhileUsing): decide(app, .provisionalAlways, isFull: precise, token)
        case (.whenInUse, .deny), (.always, .deny): decide(app, .denied, isFull: true, token)
        case (.changeToAlways, .keepWhileUsing), (.confirmAlways, .keepWhileUsing):
            decide(app, .whenInUse, isFull: isFull, token)
            apps[app].askedAlways.append((true, token))
        case (.changeToAlways, .changeToAlways), (.confirmAlways, .changeToAlways):
            decide(app, .always, isFull: isFull, token)
            apps[app].askedAlways.append((true, token))
        case (.temporaryFullAccuracy, .allow):
            apps[app].absence?.hadTemporary = false
            if isInUse(app) {
                apps[app].temporary = (token, apps[app].useChanges.count)
                apps[app].isTemporaryDurable = false
            }
        case (.temporaryFullAccuracy, .deny): apps[app].absence?.hadTemporary = false
        default: return
        }
        close(app, token)
    }

    /// A transaction has become durable, and the policy was notified.
    mutating func becameDurable(_ token: UInt64) {
        durable.insert(token)
        for app in apps.indices {
            if apps[app].temporary?.token == token { apps[app].isTemporaryDurable = true }
        }
    }

    /// A transaction could not be stored, and the policy was notified.
    mutating func becameLost(_ token: UInt64) {
        lost.insert(token)
        for app in apps.indices where apps[app].temporary?.token == token { apps[app].temporary = nil }
    }

    /// The rights that an app had at the end of the daemon and that last only as long as the app is in use.
    private func absence(_ app: Int, absent: UInt64) -> Absence? {
        guard !hasLost(app), let decision = apps[app].decisions.last, !decision.isNone else { return nil }
        let before = apps[app].absence
        let here = processes.indices.filter { $0 % PropertyWorld.appCount == app }.compactMap { processes[$0] }
        var new = Absence(
            since: time, hadOnce: decision.permission == .once, hadTemporary: false, marks: before?.marks ?? [],
            holders: Set(here.filter(\.isHolding).compactMap(\.mark)), heldUntil: time + absent + 10_000)
        if !isUnavailable(app) { new.marks.formUnion(here.compactMap(\.mark)) }
        if new.hadOnce, !isInUse(app) || isUnavailable(app) {
            new.since = leftUse(app, onceSince: apps[app].onceSince ?? time)
        }
        if let temporary = apps[app].temporary, apps[app].isTemporaryDurable,
            temporary.use == apps[app].useChanges.count
        {
            new.hadTemporary = true
        }
        if let before, before.hadTemporary, time < before.since + 10_000 {
            new.hadTemporary = true
            new.since = before.since
        }
        if let before, time < before.heldUntil, !before.holders.isSubset(of: new.holders) {
            new.holders.formUnion(before.holders)
            new.heldUntil = before.heldUntil
        }
        return new
    }

    /// Which of these rights remain when the daemon starts again.
    private func lasting(_ absence: Absence, _ decision: Decision) -> Absence? {
        var lasting = absence
        let isInTime = time < absence.since + 10_000
        lasting.hadOnce = absence.hadOnce && isInTime
        lasting.hadTemporary =
            absence.hadTemporary && isInTime && isAuthorized(decision.permission) && !decision.isFull
        if time >= absence.heldUntil { lasting.holders = [] }
        let isAnything = lasting.hadOnce || lasting.hadTemporary || !lasting.holders.isEmpty
        return isAnything && !lasting.marks.isEmpty ? lasting : nil
    }

    /// The daemon has crashed and starts again after this many milliseconds, with or without the retained state of apps in
    /// use. Of the pending transactions, `alsoDurable` had been written.
    mutating func restarted(alsoDurable: [UInt64], absent: UInt64, hasRetained: Bool) {
        let absences = apps.indices.map { hasRetained ? absence($0, absent: absent) : nil }
        time += absent
        durable.formUnion(alsoDurable)
        let isOn = services.last { isDurable($0.1) }?.0 ?? true
        for app in apps.indices {
            let old = apps[app]
            var new = App()
            if var decision = old.decisions.last(where: { isDurable($0.token) }) {
                decision.token = 0
                new.decisions = [decision]
            }
            // The retained state belongs to the last decision. It is discarded if that was not stored.
            if let absence = absences[app], isDurable(old.decisions.last?.token), let last = new.decisions.last {
                new.absence = lasting(absence, last)
                if let absence = new.absence, absence.hadOnce { new.onceSince = absence.since }
            }
            new.askedAlways = [(old.askedAlways.last { isDurable($0.1) }?.0 ?? false, 0)]
            // An open prompt remains if its end could not be stored.
            if let question = old.questions.last(where: { isDurable($0.raised) }), !isDurable(question.ended) {
                new.questions = [Question(kind: question.kind, raised: 0)]
            }
            apps[app] = new
        }
        processes = Array(repeating: nil, count: processes.count)
        users = [:]
        agents = []
        services = [(isOn, 0)]
        durable = [0]
        lost = []
    }

    /// The consequences of a restart.
    mutating func started(token: UInt64?) {
        checkBindings(token)
        for app in apps.indices {
            if last(app).permission == .once, !isUnavailable(app) { decide(app, .notDetermined, isFull: true, token) }
            if let index = question(app), !isStillOpen(app, apps[app].questions[index].kind) { close(app, token) }
        }
    }
}
