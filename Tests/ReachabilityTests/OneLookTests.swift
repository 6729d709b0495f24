import Location
import Testing

@testable import Reachability

struct OneLookTests {
    @Test func `a router is asked about once in a look, and a look finds the same`() {
        let kernel = SimulatedKernel.wired()
        kernel.setNeighbour(SimulatedKernel.router4, on: 2, .reachable)
        var links = LinkBook()
        let plain = PathEvaluator().evaluate(asking: kernel, links: &links)
        let asked = kernel.asked["neighbour"] ?? 0
        let look = OneLook(asking: kernel)
        #expect(PathEvaluator().evaluate(asking: look, links: &links) == plain)
        // Two destinations in each family, one router.
        #expect(asked > 1)
        #expect((kernel.asked["neighbour"] ?? 0) - asked == asked / 2)
    }
}
