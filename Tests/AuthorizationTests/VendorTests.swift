import Location
import Testing

@testable import Authorization

@Suite struct VendorTests {
    private func manifest(_ vendor: String? = nil, unit: String = "map.service") -> Manifest {
        Manifest(name: LocalizedText("Map"), binding: ManifestBinding([.userUnit: unit]), vendor: vendor)
    }

    @Test func `a vendor is vouched for by who installed the manifest`() {
        let catalogue = ManifestCatalogue(
            shared: ["map": manifest("org.example"), "org.example": manifest()],
            personal: [
                1_000: ["compass": manifest("org.example"), "org.example": manifest("org.other"), "own": manifest()]
            ])
        func vendor(_ name: String, _ uid: UInt32 = 1_000) -> Vendor? {
            catalogue.vendor(of: AppID(uid: uid, name: name))
        }
        #expect(vendor("map") == Vendor(.system, .named, "org.example"))
        #expect(vendor("map", 1_001) == vendor("map"))
        #expect(vendor("compass") == Vendor(.user, .named, "org.example"), "the same text is another vendor")
        #expect(vendor("org.example") == Vendor(.system, .app, "org.example"), "a user's file replaces no system's")
        #expect(vendor("own") == Vendor(.user, .app, "own"))
        #expect(vendor("own", 1_001) == nil && vendor("other") == nil)
        #expect(Set([vendor("map"), vendor("compass"), vendor("org.example"), vendor("own")]).count == 4)
    }

    @Test func `the instances of a template are one vendor`() {
        let unit = "report@.service"
        let catalogue = ManifestCatalogue(shared: [
            "report@": manifest(unit: unit), "report@own": manifest(unit: "report@own.service"),
            "fleet@": manifest("org.example", unit: "fleet@.service"),
        ])
        func vendor(_ name: String) -> Vendor? { catalogue.vendor(of: AppID(uid: 0, name: name)) }
        #expect(vendor("report@north") == Vendor(.system, .app, "report@"))
        #expect(vendor("report@south") == vendor("report@north") && vendor("report@own") == vendor("report@north"))
        #expect(vendor("fleet@a") == Vendor(.system, .named, "org.example"))
    }

    @Test func `a vendor is removed only if that is certain`() {
        let (former, other) = (Vendor(.user, .named, "org.example"), Vendor(.user, .app, "map"))
        var installed = InstalledVendors(vendors: [other], unclear: [], isComplete: true)
        #expect(installed.isRemoved(former, knownBy: ["compass"]))
        #expect(!installed.isRemoved(other, knownBy: ["map"]))
        installed.unclear = ["compass"]
        #expect(!installed.isRemoved(former, knownBy: ["compass"]), "its manifest has a mistake")
        #expect(installed.isRemoved(former, knownBy: ["another"]))
        installed.unclear = ["report@"]
        #expect(!installed.isRemoved(former, knownBy: ["report@north"]))
        #expect(!installed.isRemoved(Vendor(.user, .app, "report@"), knownBy: []))
        installed = InstalledVendors(vendors: [], unclear: [], isComplete: false)
        #expect(!installed.isRemoved(former, knownBy: ["compass"]), "the folder could not be read")
    }
}
