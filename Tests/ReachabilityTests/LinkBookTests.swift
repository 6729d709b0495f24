import Location
import Reachability
import Testing

struct LinkBookTests {
    private func announced(_ indices: Set<Int32>, overrun: Bool = false) -> NetworkEvents {
        var events = NetworkEvents()
        events.count = 1
        events.changedLinks = indices
        events.overrun = overrun
        return events
    }

    @Test func `an interface is queried once, and again when it has changed`() {
        let kernel = SimulatedKernel.wired()
        var links = LinkBook()
        for _ in 0..<3 { #expect(links.link(2, querying: kernel)?.isRunning == true) }
        #expect(kernel.queried[.link] == 1)
        kernel.interfaces[2]?.isRunning = false
        links.apply(announced([2]))
        #expect(links.link(2, querying: kernel)?.isRunning == false)
        #expect(kernel.queried[.link] == 2)
    }

    @Test func `an overrun of announcements empties the cache`() {
        let kernel = SimulatedKernel.roaming()
        var links = LinkBook()
        #expect(links.all(querying: kernel)?.count == 3)
        kernel.interfaces[3]?.isRunning = false
        links.apply(announced([], overrun: true))
        #expect(links.all(querying: kernel)?.last?.isRunning == false)
        #expect(kernel.queried[.links] == 2)
    }

    @Test func `a missing reply is not stored`() {
        let kernel = SimulatedKernel.wired()
        var links = LinkBook()
        kernel.isSilent = true
        #expect(links.link(2, querying: kernel) == nil)
        #expect(links.all(querying: kernel) == nil)
        kernel.isSilent = false
        #expect(links.link(2, querying: kernel) != nil)
        #expect(links.all(querying: kernel)?.count == 2)
    }

    @Test func `an interface without a reply does not count as removed`() {
        let kernel = SimulatedKernel.wired()
        var links = LinkBook()
        _ = links.all(querying: kernel)
        links.apply(announced([2]))
        kernel.isSilent = true
        #expect(links.all(querying: kernel) == nil)
        #expect(links.zone("eth0", querying: kernel) == .unanswered)
        kernel.isSilent = false
        #expect(links.zone("eth0", querying: kernel) == .link(2))
        #expect(kernel.queried[.links] == 1)
    }

    @Test func `new and removed interfaces are found in the list of all`() {
        let kernel = SimulatedKernel.wired()
        var links = LinkBook()
        _ = links.all(querying: kernel)
        kernel.add(Link(index: 7, name: "wg0", isUp: true, isRunning: true))
        kernel.removeLink(2)
        links.apply(kernel.drain())
        #expect(links.all(querying: kernel)?.map(\.name) == ["lo", "wg0"])
        #expect(links.zone("wg0", querying: kernel) == .link(7))
        #expect(links.zone("eth0", querying: kernel) == .missing)
        #expect(kernel.queried[.links] == 1)
    }

    @Test(arguments: ["0", "00", "+2", "-2", "2147483648", "2x", ""])
    func `a zone is an interface's index from 1 up, or its name`(text: String) {
        let kernel = SimulatedKernel.wired()
        var links = LinkBook()
        #expect(links.zone("2", querying: kernel) == .link(2))
        #expect(links.zone(text, querying: kernel) == .missing)
        kernel.add(Link(index: 7, name: text, isUp: true, isRunning: true))
        links.apply(kernel.drain())
        #expect(links.zone(text, querying: kernel) == .link(7))
    }
}
