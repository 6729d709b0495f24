import RegionStorage
import Testing

@Suite struct RegionOwnerTests {
    @Test func `an app and an operator of the same user are different owners`() {
        #expect(RegionOwner(uid: 1, app: nil) != RegionOwner(uid: 1, app: "trail"))
    }
}
