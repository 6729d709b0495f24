import Authorization
import Location
import TestSupport
import Testing

/// Random decisions about tracking, failures of the disk and restarts, compared with the history of the decisions.
@Suite struct TrackingAuthorizationPropertyTests {
    private static let apps = (0..<4).map { AppID(uid: UInt32(1000 + $0 / 2), name: "app\($0 % 2)") }

    /// A decision in the order of the transactions: `token` is nil once it is durable.
    private struct Decision {
        var permission: TrackingGrant.Permission
        var token: Policy.Token?
        var isLost = false
    }

    private struct World {
        var policy = World.fresh([:], isForbidden: false)
        var now: UInt64 = 1
        var disk: [AppID: TrackingGrant] = [:]
        /// Transactions that are being stored, in order.
        var writes: [(token: Policy.Token, records: [Policy.Record])] = []
        /// What was decided about each app, the durable decision first.
        var history: [AppID: [Decision]] = [:]
        var isForbidden = false
        var authorized = 0

        static func fresh(_ grants: [AppID: TrackingGrant], isForbidden: Bool) -> Policy {
            var manifests: [String: Manifest] = [:]
            for name in ["app0", "app1"] {
                manifests[name] = Manifest(
                    name: LocalizedText("App"), binding: ManifestBinding([.userUnit: "\(name).scope"]),
                    whenInUseUsage: LocalizedText("Shows the way."), trackingUsage: LocalizedText("Sells boots."))
            }
            var restrictions = Restrictions()
            restrictions.forbidsTracking = isForbidden
            var policy = Policy(
                restoring: [:], tracking: grants, manifests: ManifestCatalogue(shared: manifests),
                restrictions: restrictions)
            _ = policy.start(at: Instant(monotonicNanoseconds: 1, utc: UTCTime(microseconds: 1)))
            return policy
        }

        mutating func send(_ event: Policy.Event) {
            now += 1
            let effects = policy.handle(
                event, at: Instant(monotonicNanoseconds: now, utc: UTCTime(microseconds: Int64(now))))
            for case .persist(let token, let records) in effects {
                writes.append((token, records))
                for record in records {
                    guard case .tracking(let grant)? = record.change, let app = record.app else { continue }
                    history[app, default: [Decision(permission: .notDetermined)]].append(
                        Decision(permission: grant.permission, token: token))
                }
            }
        }

        mutating func finishWrite(isSuccess: Bool) {
            guard !writes.isEmpty else { return }
            let (token, records) = writes.removeFirst()
            for app in apps {
                guard let index = history[app]?.firstIndex(where: { $0.token == token }) else { continue }
                if isSuccess {
                    history[app]?.removeFirst(index)
                    history[app]?[0].token = nil
                } else {
                    history[app]?[index].isLost = true
                }
            }
            for record in records where isSuccess {
                guard case .tracking(let grant)? = record.change, let app = record.app else { continue }
                disk[app] = grant
            }
            send(isSuccess ? .persisted(token) : .notPersisted(token))
        }

        /// The daemon is killed: only the disk is left.
        mutating func restart() {
            writes = []
            history = disk.mapValues { [Decision(permission: $0.permission)] }
            policy = World.fresh(disk, isForbidden: isForbidden)
        }

        /// An app is authorized only if the durable decision and every later one say so.
        mutating func check() {
            for app in apps {
                let decisions = history[app] ?? []
                let mayTrack =
                    !isForbidden && !decisions.isEmpty && decisions.allSatisfy { $0.permission == .authorized }
                let status = policy.trackingStatus(of: app)
                #expect((status == .authorized) == mayTrack, "\(app): \(status) after \(decisions)")
                if mayTrack { authorized += 1 }
                #expect((status == .restricted) == isForbidden)
                #expect(policy.grant(of: app) == Grant(), "positions are unaffected")
            }
        }
    }

    @Test func `an app may track only after a durable permission, and not after any later decision to the contrary`()
        throws
    {
        var generator = SeededGenerator()
        var world = World()
        for _ in 0..<20_000 {
            let app = try #require(Self.apps.randomElement(using: &generator))
            let permission: TrackingGrant.Permission? =
                [.authorized, .authorized, .denied, .notDetermined, nil].randomElement(using: &generator) ?? nil
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<30: world.send(.commanded(1, .setTracking(app, permission), by: 0))
            case 30..<85: world.finishWrite(isSuccess: Int.random(in: 0..<6, using: &generator) > 0)
            case 85..<88: world.send(.commanded(1, .reset(app), by: 0))
            case 88..<89: world.send(.accountErased(app.uid, by: .rule))
            case 89..<94:
                world.isForbidden = Int.random(in: 0..<4, using: &generator) == 0
                var restrictions = Restrictions()
                restrictions.forbidsTracking = world.isForbidden
                world.send(.restrictionsChanged(restrictions))
            default: world.restart()
            }
            world.check()
        }
        #expect(world.authorized > 1_000, "the test has to authorize apps, or it checks nothing")
    }
}
