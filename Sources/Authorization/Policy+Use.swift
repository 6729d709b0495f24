import Events
import Location

// Processes, users and holds, which determine whether an app is in use; and changes of manifests, restrictions, accounts and the
// minimum assurance, which concern many apps at once.

extension Policy {
    mutating func attach(_ process: Process) {
        guard processes[process.id] == nil, process.assurance >= minimumAssurance,
            let binding = manifests[process.app]?.binding
        else { return batch.effects.append(.notAttached(process.id)) }
        processes[process.id] = ProcessState(process: process, binding: binding)
        remember(process.app)
        apps[process.app]?.processes.insert(process.id)
        refreshRestriction(of: process.app)
        comeBack(process)
        proveIdentity(of: process.app, by: process.assurance)
        note(.appAttached, process.app, details: ["assurance": process.assurance.rawValue])
        refreshUse(of: process.app)
    }

    mutating func detach(_ id: ProcessID) {
        guard let state = processes.removeValue(forKey: id) else { return }
        for hold in state.holds {
            holders[hold] = nil
            note(.holdEnded, state.process.app)
        }
        leaveForGood(state.process)
        apps[state.process.app]?.processes.remove(id)
        if apps[state.process.app]?.processes.isEmpty == true {
            apps[state.process.app]?.lastFitted = state.process.fitted
        }
        refreshRestriction(of: state.process.app)
        if apps[state.process.app]?.processes.isEmpty == true { note(.appDetached, state.process.app) }
        refreshUse(of: state.process.app)
    }

    mutating func change(_ id: ProcessID, _ change: (inout ProcessState) -> Void) {
        guard var state = processes[id] else { return }
        change(&state)
        processes[id] = state
        refreshUse(of: state.process.app)
    }

    mutating func beginHold(_ hold: HoldID, by id: ProcessID, isResumed: Bool) {
        guard let app = processes[id]?.process.app, holders[hold] == nil,
            isResumed || apps[app]?.isInUse == true || mayHoldAgain(id)
        else {
            return batch.effects.append(.holdRefused(hold))
        }
        holders[hold] = id
        note(.holdBegan, app)
        change(id) { $0.holds.insert(hold) }
    }

    mutating func endHold(_ hold: HoldID) {
        guard let id = holders.removeValue(forKey: hold), let app = processes[id]?.process.app else {
            return
        }
        note(.holdEnded, app)
        if let mark = processes[id]?.process.mark { apps[app]?.returning?.continuation.holders.remove(mark) }
        change(id) { $0.holds.remove(hold) }
    }

    mutating func changeUser(_ uid: UInt32, to state: UserState) {
        users[uid] = state == .absent ? nil : state
        for app in apps.keys where app.uid == uid { refreshUse(of: app) }
    }

    /// Evaluates whether an app is in use, and handles a change.
    mutating func refreshUse(of app: AppID) {
        guard let state = apps[app] else { return }
        batch.touched.insert(app)
        let user = users[app.uid] ?? .absent
        let isInUse = state.processes.contains {
            processes[$0]?.isInUse(user: user, manifest: state.manifest) ?? false
        }
        guard isInUse != state.isInUse else { return }
        apps[app]?.isInUse = isInUse
        if isInUse { apps[app]?.wasAskedInBackground = false } else { apps[app]?.temporary = .none }
        note(isInUse ? .appInUse : .appLeftUse, app)
    }

    mutating func replaceManifests(_ new: ManifestCatalogue) {
        let difference = new.difference(from: manifests)
        if !difference.isEmpty { note(.manifestsChanged, nil, details: difference) }
        manifests = new
        for app in Array(apps.keys) {
            let manifest = new[app]
            apps[app]?.manifest = manifest
            refreshRestriction(of: app)
            batch.touched.insert(app)
            // A process was identified by the earlier binding, so it has to be identified again.
            for id in apps[app]?.processes ?? []
            where manifest != nil && processes[id]?.binding != manifest?.binding {
                detach(id)
                batch.effects.append(.identifyAgain(id))
            }
            checkBinding(of: app)
            refreshUse(of: app)
        }
        reviewPrompts()
    }

    /// Resets the decisions, about positions and about tracking, that were made under another binding.
    mutating func checkBinding(of app: AppID) {
        guard let state = apps[app], let digest = state.manifest?.binding.digest else { return }
        if let granted = state.grant.binding, granted != digest { apply(.bindingChanged, to: app, by: .rule) }
        if let granted = state.tracking.decided.binding, granted != digest { forgetTracking(of: app, by: .rule) }
    }

    mutating func replaceRestrictions(_ new: Restrictions) {
        guard new != restrictions else { return }
        restrictions = new
        note(.restrictionsChanged, nil, details: ["unreadable": String(new.failures.count)])
        for app in Array(apps.keys) { refreshRestriction(of: app) }
        touchAll()
    }

    mutating func changeSuspension(of uid: UInt32, _ isSuspended: Bool) {
        if isSuspended { suspendedUsers.insert(uid) } else { suspendedUsers.remove(uid) }
        for app in apps.keys where app.uid == uid { refreshRestriction(of: app) }
    }

    mutating func erase(_ uid: UInt32, by decider: Grant.Decider) {
        for app in Array(apps.keys) where app.uid == uid { apply(.reset, to: app, by: decider) }
    }

    mutating func require(_ assurance: Assurance) {
        minimumAssurance = assurance
        for (id, state) in processes where state.process.assurance < assurance {
            detach(id)
            batch.effects.append(.identifyAgain(id))
        }
    }

    mutating func note(_ kind: EventKind, _ app: AppID?, details: [String: String] = [:]) {
        batch.effects.append(.note(Record(kind: kind, app: app, details: details)))
        if let app { batch.touched.insert(app) }
    }

    mutating func touchAll() {
        batch.touched.formUnion(apps.keys)
    }

    /// Creates the state of an app if there is none.
    mutating func remember(_ app: AppID) {
        guard apps[app] == nil else { return }
        let state = newState(of: app)
        apps[app] = state
    }

    private func newState(of app: AppID) -> AppState {
        AppState(manifest: manifests[app], isRestricted: isRestricted(app, fitted: []))
    }
}
