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

    @Test func `an interface is asked for once, and again when it has changed`() {
        let kernel = SimulatedKernel.wired()
        var links = LinkBook()
        for _ in 0..<3 { #expect(links.link(2, asking: kernel)?.isRunning == true) }
        #expect(kernel.asked["link"] == 1)
        kernel.interfaces[2]?.isRunning = false
        links.take(announced([2]))
        #expect(links.link(2, asking: kernel)?.isRunning == false)
        #expect(kernel.asked["link"] == 2)
    }

    @Test func `what was lost of the announcements empties the book`() {
        let kernel = SimulatedKernel.roaming()
        var links = LinkBook()
        #expect(links.all(asking: kernel)?.count == 3)
        kernel.interfaces[3]?.isRunning = false
        links.take(announced([], overrun: true))
        #expect(links.all(asking: kernel)?.last?.isRunning == false)
        #expect(kernel.asked["links"] == 2)
    }

    @Test func `no answer is not kept`() {
        let kernel = SimulatedKernel.wired()
        var links = LinkBook()
        kernel.isSilent = true
        #expect(links.link(2, asking: kernel) == nil)
        #expect(links.all(asking: kernel) == nil)
        kernel.isSilent = false
        #expect(links.link(2, asking: kernel) != nil)
        #expect(links.all(asking: kernel)?.count == 2)
    }

    @Test func `an interface that did not answer for itself is not taken for gone`() {
        let kernel = SimulatedKernel.wired()
        var links = LinkBook()
        _ = links.all(asking: kernel)
        links.take(announced([2]))
        kernel.isSilent = true
        #expect(links.all(asking: kernel) == nil)
        #expect(links.zone("eth0", asking: kernel) == .unanswered)
        kernel.isSilent = false
        #expect(links.zone("eth0", asking: kernel) == .link(2))
        #expect(kernel.asked["links"] == 1)
    }

    @Test func `those that are new or gone are found among all`() {
        let kernel = SimulatedKernel.wired()
        var links = LinkBook()
        _ = links.all(asking: kernel)
        kernel.add(Link(index: 7, name: "wg0", isUp: true, isRunning: true))
        kernel.removeLink(2)
        links.take(kernel.drain())
        #expect(links.all(asking: kernel)?.map(\.name) == ["lo", "wg0"])
        #expect(links.zone("wg0", asking: kernel) == .link(7))
        #expect(links.zone("eth0", asking: kernel) == .missing)
        #expect(kernel.asked["links"] == 1)
    }

    @Test(arguments: ["0", "00", "+2", "-2", "2147483648", "2x", ""])
    func `a zone is an interface's number from 1 up, or its name`(text: String) {
        let kernel = SimulatedKernel.wired()
        var links = LinkBook()
        #expect(links.zone("2", asking: kernel) == .link(2))
        #expect(links.zone(text, asking: kernel) == .missing)
        kernel.add(Link(index: 7, name: text, isUp: true, isRunning: true))
        links.take(kernel.drain())
        #expect(links.zone(text, asking: kernel) == .link(7))
    }
}
