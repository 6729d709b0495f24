import Location
import Testing

@testable import Reachability

struct QuerySnapshotTests {
    @Test func `a router is queried once in an evaluation, with the same result`() {
        let kernel = SimulatedKernel.wired()
        kernel.setNeighbour(SimulatedKernel.router4, on: 2, .reachable)
        var links = LinkBook()
        let plain = PathEvaluator().evaluate(querying: kernel, links: &links)
        let queried = kernel.queried[.neighbour] ?? 0
        let pass = QuerySnapshot(querying: kernel)
        #expect(PathEvaluator().evaluate(querying: pass, links: &links) == plain)
        // Two destinations in each family, one router.
        #expect(queried > 1)
        #expect((kernel.queried[.neighbour] ?? 0) - queried == queried / 2)
    }
}
