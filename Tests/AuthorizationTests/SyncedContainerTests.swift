import Containers
import Location
import Testing

@testable import Authorization

@Suite struct SyncedContainerTests {
    private func manifest(
        _ containers: [String], _ environment: ContainerEnvironment = .production,
        by key: IdentityKey = .userUnit
    ) -> Manifest {
        Manifest(
            name: LocalizedText("Notes"), binding: ManifestBinding([key: "notes.service"]),
            containers: containers.map { SyncedContainer($0, environment) })
    }

    @Test func `a container of the machine's apps is not one of a user's own manifest`() {
        let catalogue = ManifestCatalogue(
            shared: [
                "notes": manifest(["org.example.notes"], by: .unit), "memo": manifest(["org.example.notes", "m"]),
            ],
            personal: [
                1_000: [
                    "own": manifest(["org.example.notes", "own"], .development), "memo": manifest(["other"]),
                    "none": manifest([]),
                ]
            ])
        func names(_ app: String, _ uid: UInt32 = 1_000) -> [String] {
            catalogue.containers(of: AppID(uid: uid, name: app)).map { "\($0.environment.rawValue) \($0.name)" }
        }
        #expect(names("notes", 0) == ["production org.example.notes"])
        #expect(names("memo") == ["production org.example.notes", "production m"], "root's manifest counts")
        #expect(names("own") == ["development own"])
        #expect(names("own", 1_001) == [] && names("none") == [] && names("absent") == [])
    }
}
