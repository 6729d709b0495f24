import Authorization
import Location

/// The apps, manifests and restrictions of the property tests.
enum PropertyWorld {
    static let appCount = 9
    static let slotCount = 18
    static let uids: [UInt32] = [1000, 1001, 1002]

    static func app(_ index: Int) -> AppID { AppID(uid: uid(index), name: "app\(index % 3)") }
    static func uid(_ app: Int) -> UInt32 { uids[app / 3] }

    /// The possible manifests of an app name.
    enum ManifestVariant: Int, CaseIterable {
        case complete, missing, otherBinding, withoutAlways, servedByRoot, servedByUser, reduced

        var binding: String { self == .otherBinding ? "b" : "a" }

        /// The manifest of an app with this name.
        func manifest(of name: String) -> Manifest? {
            guard self != .missing else { return nil }
            return Manifest(
                name: LocalizedText("App"), binding: ManifestBinding([.userUnit: "\(name)-\(binding)"]),
                whenInUseUsage: LocalizedText("Shows the way."),
                alwaysUsage: self == .withoutAlways ? nil : LocalizedText("Keeps the track."),
                temporaryUsages: ["turns": LocalizedText("Says when to turn.")],
                isDefaultAccuracyReduced: self == .reduced,
                isAlwaysInUse: self == .servedByRoot || self == .servedByUser, isRoots: self == .servedByRoot)
        }
    }

    /// The possible restrictions.
    enum RestrictionVariant: Int, CaseIterable {
        case none, all, app0, user1001, onlyApp1, noAlways, noFull, unreadable, unreadableAccuracy

        var restrictions: Restrictions {
            var restrictions = Restrictions()
            switch self {
            case .none: break
            case .all: restrictions.deniesAll = true
            case .app0: restrictions.deniedApps = ["app0"]
            case .user1001: restrictions.deniedUIDs = [1001]
            case .onlyApp1: restrictions.allowedApps = ["app1"]
            case .noAlways: restrictions.forbidsAlways = true
            case .noFull: restrictions.forbidsFullAccuracy = true
            case .unreadable: restrictions.failures = [Restrictions.Failure(file: "a.conf", reason: "")]
            case .unreadableAccuracy:
                restrictions.failures = [
                    Restrictions.Failure(file: "a.conf", reason: "", mightMean: [.fullAccuracy])
                ]
            }
            return restrictions
        }
    }

    static func catalogue(_ variants: [ManifestVariant]) -> ManifestCatalogue {
        var shared: [String: Manifest] = [:]
        for (index, variant) in variants.enumerated() { shared["app\(index)"] = variant.manifest(of: "app\(index)") }
        return ManifestCatalogue(shared: shared)
    }
}

/// A command for both the policy and the reference. It contains numbers only, so that any command can be omitted.
enum PropertyCommand {
    case wait(milliseconds: UInt64)
    /// A process connects: the one that this slot had before a restart, or another one.
    case attach(slot: Int, isInSession: Bool, isAnother: Bool)
    case leave(slot: Int)
    case declare(slot: Int, Activity)
    case freeze(slot: Int, Bool)
    case hold(slot: Int)
    case letGo(slot: Int)
    case user(UInt32, UserState)
    case request(slot: Int, Policy.Request)
    /// Selects one of the choices of the open prompt by its index.
    case choose(app: Int, Int, precise: Bool)
    case answer(app: Int, PromptChoice, precise: Bool, by: UInt32?)
    case dismiss(app: Int)
    case agent(UInt32, isThere: Bool)
    case set(app: Int, Permission, AccuracyAuthorization?)
    case reset(app: Int)
    case resetAll
    case services(Bool)
    case restrict(PropertyWorld.RestrictionVariant)
    case manifest(name: Int, PropertyWorld.ManifestVariant)
    case due(app: Int)
    case makeDurable(count: Int)
    /// Pending transactions cannot be stored: this many, after the first `after` ones, which remain pending.
    case lose(after: Int, count: Int)
    /// The daemon crashes after this many of the pending transactions were written, and starts again after an outage, in
    /// which a manifest may change. The state of apps in use may have been retained.
    case restart(
        durable: Int, name: Int, PropertyWorld.ManifestVariant?, outageMilliseconds: UInt64, hasRetained: Bool)

    /// A random command. Before and after a restart it is a group of commands that make the restart significant: apps
    /// in use with rights that last only as long, and processes that return, the same or others.
    static func some(using random: inout some RandomNumberGenerator) -> [PropertyCommand] {
        let command = Self.random(using: &random)
        guard case .restart = command else { return [command] }
        var (before, after): ([PropertyCommand], [PropertyCommand]) = ([], [])
        for _ in 0..<4 {
            let app = Int.random(in: 0..<PropertyWorld.appCount, using: &random)
            let slot = app + (Bool.random(using: &random) ? PropertyWorld.appCount : 0)
            let isOnce = Int.random(in: 0..<3, using: &random) > 0
            before += [
                .user(PropertyWorld.uid(app), .active), .agent(PropertyWorld.uid(app), isThere: true),
                .attach(slot: slot, isInSession: true, isAnother: false), .declare(slot: slot, .active),
                .set(app: app, isOnce ? .once : .whenInUse, isOnce ? nil : .reduced), .makeDurable(count: 50),
                .request(slot: slot, .temporaryFullAccuracy(key: "turns")), .choose(app: app, 0, precise: true),
                .hold(slot: slot), .makeDurable(count: 50),
            ]
            let isAnother = Int.random(in: 0..<3, using: &random) == 0
            let back = Bool.random(using: &random) ? slot : (slot + PropertyWorld.appCount) % PropertyWorld.slotCount
            after += [
                .user(PropertyWorld.uid(app), .active), .attach(slot: back, isInSession: true, isAnother: isAnother),
                Bool.random(using: &random) ? .hold(slot: back) : .declare(slot: back, .active),
                .wait(milliseconds: [1, 500, 4_000].randomElement(using: &random) ?? 1),
            ]
        }
        return before + [command] + after
    }

    private static func random(using random: inout some RandomNumberGenerator) -> PropertyCommand {
        func pick<T>(_ values: [T], _ random: inout some RandomNumberGenerator) -> T {
            values[Int.random(in: 0..<values.count, using: &random)]
        }
        let slot = Int.random(in: 0..<PropertyWorld.slotCount, using: &random)
        let app = Int.random(in: 0..<PropertyWorld.appCount, using: &random)
        let flag = Bool.random(using: &random)
        let uid = pick(PropertyWorld.uids, &random)
        switch Int.random(in: 0..<200, using: &random) {
        case 0..<22: return .wait(milliseconds: pick([1, 500, 4_000, 9_999, 10_000, 61_000, 120_000], &random))
        case 22..<36:
            return .attach(
                slot: slot, isInSession: Int.random(in: 0..<4, using: &random) > 0,
                isAnother: Int.random(in: 0..<6, using: &random) == 0)
        case 36..<39: return .leave(slot: slot)
        case 39..<70:
            return .declare(slot: slot, pick([.active, .active, .active, .inactive, .background, .suspended], &random))
        case 70..<75: return .freeze(slot: slot, Int.random(in: 0..<4, using: &random) == 0)
        case 75..<80: return .hold(slot: slot)
        case 80..<83: return .letGo(slot: slot)
        case 83..<91:
            return .user(
                uid, pick([.active, .active, .active, .active, .active, .active, .locked, .inactive, .absent], &random))
        case 91..<117:
            return .request(
                slot: slot,
                pick(
                    [
                        .whenInUse, .always, .always, .temporaryFullAccuracy(key: "turns"),
                        .temporaryFullAccuracy(key: "none"),
                    ], &random))
        case 117..<135:
            return .choose(app: app, Int.random(in: 0..<3, using: &random), precise: flag)
        case 135..<143:
            return .answer(
                app: app, pick(PromptChoice.allCases, &random), precise: flag,
                by: pick([PropertyWorld.uid(app), PropertyWorld.uid(app), uid, nil], &random))
        case 143..<146: return .dismiss(app: app)
        case 146..<151: return .agent(uid, isThere: Int.random(in: 0..<6, using: &random) > 0)
        case 151..<160:
            return .set(
                app: app, pick(Permission.allCases + [.whenInUse, .always, .always], &random),
                pick([nil, .full, .reduced], &random))
        case 160..<162: return .reset(app: app)
        case 162: return flag ? .resetAll : .due(app: app)
        case 163..<165: return .services(Int.random(in: 0..<5, using: &random) > 0)
        case 165..<167:
            return .restrict(
                Int.random(in: 0..<4, using: &random) > 0
                    ? .none : pick(PropertyWorld.RestrictionVariant.allCases, &random))
        case 167..<170:
            return .manifest(
                name: app % 3,
                Int.random(in: 0..<3, using: &random) > 0
                    ? .complete : pick(PropertyWorld.ManifestVariant.allCases, &random))
        case 170..<175: return .due(app: app)
        case 175..<179: return .lose(after: pick([0, 0, 1, 3], &random), count: pick([1, 2, 50], &random))
        case 179..<198: return .makeDurable(count: pick([1, 2, 50], &random))
        default:
            return .restart(
                durable: pick([0, 1, 50, 50], &random), name: app % 3,
                Int.random(in: 0..<3, using: &random) == 0 ? pick([.complete, .otherBinding], &random) : nil,
                outageMilliseconds: pick([0, 1, 500, 4_000, 9_999, 10_000], &random),
                hasRetained: Int.random(in: 0..<5, using: &random) > 0)
        }
    }
}
