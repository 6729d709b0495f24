import Glibc
import Interfaces
import JSONText
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Regions that are too many, too large, or none; slow clients and full disks.
@Suite(.waits, .timeLimit(.minutes(15))) struct RegionLimitTests {
    private static let yard = RegionScene.circle("yard", north: 0)

    private func error(_ call: () throws -> some Sendable) throws -> Refusal {
        try #require(try Refusal { _ = try call() })
    }

    @Test func `what is no region, monitor or number of regions is refused, and nothing is added`() throws {
        let scene = try RegionScene()
        let client = try scene.client()
        let shapes = [
            #"{"identifier":"a"}"#: "exactly one shape",
            #"{"identifier":"a","circle":{"latitude":91.5,"longitude":0,"radius":10}}"#: "latitude",
            #"{"identifier":"a","circle":{"latitude":12.345,"longitude":0,"radius":0.5}}"#: "radius",
            #"{"identifier":"a","polygon":{"rings":[{"points":[{"latitude":1,"longitude":1}]}]}}"#: "ring 1",
            #"{"identifier":"a","corridor":{"points":[],"halfWidth":5}}"#: "two different points",
        ]
        for (shape, word) in shapes {
            let refusal = try error { try scene.add([Self.yard, shape], by: client) }
            #expect(refusal.error == .regionsInvalidRegion && refusal.parameters["index"] == 1, "\(shape)")
            let message = refusal.parameters["message"]?.stringValue ?? ""
            #expect(message.contains(word) && !message.contains("12.345") && !message.contains("91.5"), "\(message)")
        }
        for identifier in ["", "a\\nb", String(repeating: "a", count: 129)] {
            let refusal = try error { try scene.add([RegionScene.circle(identifier, north: 0)], by: client) }
            #expect(refusal.error == .regionsInvalidIdentifier && refusal.parameters["index"] == 0)
        }
        for name in ["", ".a", "a/b"] {
            #expect(try error { try scene.add([Self.yard], to: name, by: client) }.error == .regionsInvalidIdentifier)
        }
        let many = (0...1_000).map { RegionScene.circle("\($0)", north: 0) }
        #expect(try error { try scene.add(many, by: client) }.error == .regionsTooManyRegions)
        #expect(try scene.monitors(client) == [])
        #expect(try scene.add(Array(many.dropLast()), by: client)["added"] == 1_000)
        for number in 1..<64 { try scene.add([Self.yard], to: "m\(number)", by: client) }
        #expect(try error { try scene.add([Self.yard], to: "n", by: client) }.error == .regionsTooManyMonitors)
        #expect(try scene.monitors(client).count == 64)
    }

    @Test func `all regions of a monitor can be read in pages that fit into a message`() throws {
        let scene = try RegionScene()
        let line = (0..<3_000).map { #"{"latitude":\#(47 + Double($0) / 1_000),"longitude":-30.123456789}"# }
        let corridors = (0..<3).map { number in
            #"{"identifier":"c\#(number)","corridor":{"points":[\#(line.joined(separator: ","))],"halfWidth":50}}"#
        }
        for corridor in corridors { try scene.add([corridor]) }
        try scene.add((0..<500).map { RegionScene.circle("p\($0)", north: Double($0)) })
        let client = try scene.client()
        var identifiers: [String] = []
        var calls = 0
        while calls < 100 {
            calls += 1
            let page = try client.call(RegionsInterface.Show(monitor: "m", after: identifiers.last, limit: 1_000))
            identifiers += page.regions.map(\.region.identifier)
            if page.isComplete { break }
        }
        #expect(calls >= 4 && identifiers.count == 503 && identifiers == identifiers.sorted())
        let some = try client.call(RegionsInterface.Show(monitor: "m", identifiers: ["p7", "p12", "none"]))
        #expect(some.regions.map(\.region.identifier) == ["p12", "p7"] && some.isComplete)
        let long = try client.call(RegionsInterface.Show(monitor: "m", limit: 1)).regions.first
        #expect(long?.region.corridor?.points.count == 3_000 && long?.shape == "corridor")
    }

    @Test func `a polygon of ten thousand points does not delay other clients`() throws {
        let scene = try RegionScene()
        let points = (0..<9_999).map { index -> String in
            let angle = Double(index) / 9_999 * 2 * .pi
            let radius = index % 2 == 0 ? 1.0 : 0.9
            return #"{"latitude":\#(radius * sin(angle)),"longitude":\#(radius * cos(angle))}"#
        }
        let star = #"{"identifier":"star","polygon":{"rings":[{"points":[\#(points.joined(separator: ","))]}]}}"#
        // Crosses itself at its very end.
        let crossed = star.replacing(#"{"latitude":0.0,"longitude":1.0}"#, with: #"{"latitude":0.0,"longitude":-3.0}"#)
        let first = try RawConnection(scene.daemon.socketPath)
        func used() throws -> Int { try ProcessFigures(scene.daemon.processID).processorMilliseconds }
        let begin = try used()
        let text = #"{"method":"io.waymark.Regions.Add","parameters":{"monitor":"m","regions":[\#(star)]}}"#
        #expect(try first.send(message: text) == .everything)
        #expect(try first.read(messages: 1)?.contains("\"added\":1") == true)
        let alone = try used() - begin
        let attackers = try (0..<4).map { _ in try RawConnection(scene.daemon.socketPath) }
        let other = try scene.client()
        for attacker in attackers {
            for text in [star, crossed] {
                let call =
                    #"{"method":"io.waymark.Regions.Add","parameters":{"monitor":"m","regions":[\#(text)]}}"#
                #expect(try attacker.send(message: call) == .everything)
            }
        }
        // Processor time: other programs delay a reply as well.
        var longest = 0
        for _ in 0..<200 {
            let begin = try used()
            _ = try other.call("org.varlink.service.GetInfo", timeout: .seconds(60))
            longest = max(longest, try used() - begin)
        }
        print(
            "the most processor time before a reply beside eight polygons of ten thousand points: \(longest) ms; one polygon takes \(alone) ms"
        )
        for attacker in attackers {
            let replies = try #require(try attacker.read(messages: 2))
            #expect(replies.contains("\"added\"") && replies.contains("InvalidRegion"))
        }
        #expect(longest < 1_000)
    }

    @Test func `a slow client gets every event in order, and the daemon queues none for it`() throws {
        let scene = try RegionScene()
        try scene.add((0..<200).map { RegionScene.circle("pile \($0)", north: 0, radius: 50 + Double($0) / 10) })
        let slow = try StreamLog(
            scene.daemon.socketPath, RegionsInterface.Method.monitor.rawValue, #"{"monitor":"m"}"#, bytesAtOnce: 512)
        try scene.waitForDemand()
        for lap in 0..<5 { scene.drive(lap * 100..<lap * 100 + 40) { 15 * Double($0 % 100) - 300 } }
        let expected = Int64(200 + 5 * 400)
        #expect(try eventually { try scene.monitors().first?.last == expected }, "\(scene.daemon.log)")
        // Each of some nine hundred reads takes two milliseconds, or as long as the machine does not run this thread.
        #expect(eventually(within: 300) { slow.replies.count == Int(expected) }, "\(slow.replies.count)")
        #expect(try scene.events(slow).map(\.sequence) == Array(1...expected))
    }

    @Test(.enabled(if: OtherUser.isPossible && SmallDisk.isPossible, "mounting a tmpfs needs root"))
    func `on a full disk nothing is added, what is stored is monitored, and events are stored when there is room`()
        throws
    {
        let directory = try TemporaryDirectory()
        let disk = try SmallDisk(kibibytes: 1_024)
        let state = directory.file("state")
        try retrying("link", subject: state) { symlink(disk.path, state) }
        let scene = try RegionScene(in: directory)
        try scene.add([Self.yard])
        try scene.waitForDemand()
        scene.drive(0..<5) { 15 * Double($0) - 300 }
        #expect(try eventually(within: Patience.daemon) { try scene.monitors().first?.last == 1 })
        try disk.fill()
        let many = (0..<1_000).map { RegionScene.circle("pile \($0)", north: 0) }
        #expect(try error { try scene.add(many) }.error == .regionsRegionsUnavailable)
        #expect(try scene.monitors().first?.regions == 1)
        disk.free()
        scene.drive(5..<40) { 15 * Double($0) - 300 }
        let stream = try scene.stream()
        #expect(try scene.words(stream, 3) == ["1 determined outside yard", "2 entered yard", "3 left yard"])
        #expect(try scene.add(many)["added"] == 1_000)
    }
}
