import Authorization
import Testing

@testable import Daemon

@Suite struct AppChoiceTests {
    private func choice(
        _ binding: [IdentityKey: String], uid: UInt32?, known: [AppID] = [], isToBeForgotten: Bool = false
    ) -> AppChoice {
        let manifest = Manifest(name: LocalizedText("Station"), binding: ManifestBinding(binding))
        return AppChoice(
            named: "station", uid: uid, manifests: ManifestCatalogue(shared: ["station": manifest]), known: known,
            isToBeForgotten: isToBeForgotten)
    }

    private func app(_ uid: UInt32) -> AppID { AppID(uid: uid, name: "station") }

    @Test(arguments: [[.unit: "station.service"], [.socket: "station"]] as [[IdentityKey: String]])
    func `a system service belongs to no user`(_ binding: [IdentityKey: String]) {
        #expect(choice(binding, uid: nil) == .app(app(0)))
        #expect(choice(binding, uid: 0) == .app(app(0)))
        #expect(choice(binding, uid: 1_000) == .systems)
        #expect(choice(binding, uid: 1_000, isToBeForgotten: true) == .systems)
    }

    @Test func `a decision for a user of a system service can be forgotten, but not made again`() {
        let binding = [IdentityKey.unit: "station.service"]
        #expect(choice(binding, uid: 1_000, known: [app(1_000)]) == .systems)
        #expect(choice(binding, uid: 1_000, known: [app(1_000)], isToBeForgotten: true) == .app(app(1_000)))
    }

    @Test func `an app that may also be a user's program may belong to that user`() {
        let binding = [IdentityKey.unit: "station.service", .exec: "/usr/bin/station"]
        #expect(choice(binding, uid: 1_000) == .app(app(1_000)))
        #expect(choice(binding, uid: nil) == .app(app(0)))
    }
}
