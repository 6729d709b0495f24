import Authorization
import Location

/// A second implementation of the rules in a different form: it records the history of events, and derives every result
/// from it. It stores no results, returns no effects, and shares only names with `Policy`.
struct ReferenceModel {
    struct Decision {
        var permission: Permission
        var isFull: Bool
        var binding: String?
        var token: UInt64?
        /// Whether it equals the absence of a decision.
        var isNone = false
    }

    struct Process {
        var isInSession: Bool
        var binding: String
        var activity = Activity.background
        var isFrozen = false
        var isHolding = false
        var mark: UInt64?
    }

    /// The rights that an app had at the end of the daemon, and whether one of its processes has returned.
    struct Absence {
        /// Since when it is not known to be in use.
        var since: UInt64
        var hadOnce: Bool
        var hadTemporary: Bool
        var marks: Set<UInt64>
        var holders: Set<UInt64>
        var heldUntil: UInt64
        /// The number of changes of use when the first of its processes returned; nil before.
        var back: Int?
    }

    struct Question {
        var kind: Prompt.Kind
        var raised: UInt64?
        var ended: UInt64?
        var isOver = false
        var shownAt: UInt64?
    }

    struct App {
        var decisions = [Decision(permission: .notDetermined, isFull: true, token: 0, isNone: true)]
        var askedAlways: [(Bool, UInt64?)] = [(false, 0)]
        var questions: [Question] = []
        /// Every time at which it came into use or left use.
        var useChanges: [UInt64] = []
        var wasInUse = false
        /// Since when it has had an authorization for once without interruption.
        var onceSince: UInt64?
        var temporary: (token: UInt64?, use: Int)?
        var isTemporaryDurable = false
        var backgroundQuestion: Int?
        var absence: Absence?
    }

    var time: UInt64 = 0
    var apps = Array(repeating: App(), count: PropertyWorld.appCount)
    var processes: [Process?] = Array(repeating: nil, count: PropertyWorld.slotCount)
    var users: [UInt32: UserState] = [:]
    var agents: Set<UInt32> = []
    var manifests = Array(repeating: PropertyWorld.ManifestVariant.complete, count: 3)
    var restriction = PropertyWorld.RestrictionVariant.none
    var services: [(Bool, UInt64?)] = [(true, 0)]
    var durable: Set<UInt64> = [0]
    /// The transactions that could not be stored.
    var lost: Set<UInt64> = []

    // The present state.

    var areServicesOn: Bool {
        services.suffix(from: services.lastIndex { isDurable($0.1) } ?? 0).allSatisfy(\.0)
    }

    /// The last decision about services. One that could not be stored counts only if it turned them off.
    var areServicesDecidedOn: Bool {
        let last = services.lastIndex { !isLost($0.1) } ?? 0
        return services.suffix(from: last).allSatisfy(\.0)
    }

    func isDurable(_ token: UInt64?) -> Bool { token.map(durable.contains) ?? false }

    func isLost(_ token: UInt64?) -> Bool { token.map(lost.contains) ?? false }

    func isRestricted(_ app: Int) -> Bool {
        switch restriction {
        case .none, .noAlways, .noFull, .unreadableAccuracy: false
        case .all, .unreadable: true
        case .app0: app % 3 == 0
        case .user1001: PropertyWorld.uid(app) == 1001
        // Only a manifest of the machine makes an app one of the permitted ones.
        case .onlyApp1: app % 3 != 1 || manifests[1] == .missing
        }
    }

    var noAlways: Bool { restriction == .noAlways || restriction == .unreadable }
    var noFull: Bool {
        restriction == .noFull || restriction == .unreadable || restriction == .unreadableAccuracy
    }

    func isInUse(_ app: Int) -> Bool {
        for slot in processes.indices where slot % PropertyWorld.appCount == app {
            guard let process = processes[slot], !process.isFrozen, process.activity != .suspended else { continue }
            if process.isHolding { return true }
            if process.isInSession {
                if users[PropertyWorld.uid(app)] == .active, process.activity != .background { return true }
            } else if manifests[app % 3] == .servedByRoot {
                return true
            }
        }
        return false
    }

    func hasProcess(_ app: Int) -> Bool {
        processes.indices.contains { $0 % PropertyWorld.appCount == app && processes[$0] != nil }
    }

    /// The last decision. A change that could not be stored narrows the decision before it, and widens nothing.
    func last(_ app: Int) -> Decision {
        let decisions = apps[app].decisions[base(app)...]
        let index = decisions.lastIndex { !isLost($0.token) } ?? decisions.startIndex
        let (stored, unstored) = (decisions[index], decisions[(index + 1)...])
        if let refusal = unstored.last(where: { !isAuthorized($0.permission) }) { return refusal }
        guard isAuthorized(stored.permission) else { return stored }
        var least = stored
        least.isFull = decisions[index...].allSatisfy(\.isFull)
        for permission in Permission.allCases.reversed()
        where decisions[index...].contains(where: { $0.permission == permission }) {
            least.permission = permission
        }
        return least
    }

    func isAuthorized(_ permission: Permission) -> Bool { permission != .notDetermined && permission != .denied }

    /// Whether an authorization for once waits for the return of a process that had it.
    func isUnavailable(_ app: Int) -> Bool { apps[app].absence.map { $0.hadOnce && $0.back == nil } ?? false }

    /// When an app that is not in use left use, as it counts for the authorization for once of `onceSince`.
    func leftUse(_ app: Int, onceSince: UInt64) -> UInt64 {
        if let absence = apps[app].absence, absence.hadOnce,
            absence.back == nil || absence.back == apps[app].useChanges.count
        {
            return absence.since
        }
        return max(apps[app].useChanges.last ?? 0, onceSince)
    }

    /// The decisions whose intersection is in effect: the last durable one, and all later ones.
    func access(app: Int) -> Access {
        guard areServicesOn, !isRestricted(app), manifests[app % 3] != .missing else { return .nothing }
        let counting = apps[app].decisions.suffix(from: base(app))
        guard counting.allSatisfy({ isAuthorized($0.permission) }), !isUnavailable(app) else { return .nothing }
        let isAlways = counting.allSatisfy { $0.permission == .always } && !noAlways
        guard isAlways || isInUse(app) else { return .nothing }
        if noFull { return .reduced }
        if let temporary = apps[app].temporary, apps[app].isTemporaryDurable,
            temporary.use == apps[app].useChanges.count
        {
            return .full
        }
        return counting.allSatisfy(\.isFull) ? .full : .reduced
    }

    enum Access { case nothing, reduced, full }

    func base(_ app: Int) -> Int { apps[app].decisions.lastIndex { isDurable($0.token) } ?? 0 }

    func hasLost(_ app: Int) -> Bool { apps[app].decisions[base(app)...].contains { isLost($0.token) } }

    func access(slot: Int) -> Access {
        processes[slot] == nil ? .nothing : access(app: slot % PropertyWorld.appCount)
    }

    func question(_ app: Int) -> Int? { apps[app].questions.lastIndex { !$0.isOver } }
}
