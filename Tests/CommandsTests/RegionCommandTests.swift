import CommandLineKit
import GeoJSON
import Interfaces
import Location
import RegionCalls
import Regions
import Testing

@testable import Commands

@Suite struct RegionCommandTests {
    @Test(
        arguments: [
            ("47.58,21.12,80", 47.58, 21.12, 80), ("-33.9, 18.4, 1.5km", -33.9, 18.4, 1_500), ("0,0,10m", 0, 0, 10),
        ])
    func `a circle is latitude, longitude and radius`(
        text: String, latitude: Double, longitude: Double, radius: Double
    ) throws {
        let center = try #require(Coordinate(latitude: latitude, longitude: longitude))
        #expect(try RegionShapeText.circle(text) == .circle(center: center, radius: radius))
    }

    @Test(arguments: ["47.58,21.12", "47.58,21.12,80,1", "a,b,c", "47.58,21.12,", "91,0,10", "0,0,nan"])
    func `another text is no circle`(text: String) {
        #expect(throws: RegionTextError.self) { try RegionShapeText.circle(text) }
    }

    @Test func `a corridor is a file, in whose name commas may be, and a width`() throws {
        let corridor = try RegionShapeText.corridor("a,b.geojson,400")
        #expect(corridor.file == "a,b.geojson" && corridor.width == 400)
        for text in ["route.geojson", ",400", "route.geojson,wide"] {
            #expect(throws: RegionTextError.self) { try RegionShapeText.corridor(text) }
        }
    }

    @Test func `a name alone is a monitor, and a region in the monitor of the option`() {
        let alone = RegionTarget(name: "yard", monitor: nil)
        #expect(alone?.monitor == "yard" && alone?.region == nil)
        let both = RegionTarget(name: "gate", monitor: "depots")
        #expect(both?.monitor == "depots" && both?.region == "gate")
        let option = RegionTarget(name: nil, monitor: "depots")
        #expect(option?.monitor == "depots" && option?.region == nil)
        #expect(RegionTarget(name: nil, monitor: nil) == nil)
    }

    @Test(
        arguments: [
            ("depots.geojson", "depots"), ("/tmp/a.b/my-depots.json", "my-depots"), ("plain", "plain"),
            ("my depots.geojson", nil), (".geojson", nil), ("-", nil),
        ] as [(String, String?)])
    func `a file gives its monitor a name`(path: String, name: String?) {
        #expect(RegionImport.monitorName(of: path) == name)
    }

    @Test func `entries and exits run the command, unless others are chosen`() {
        let usual = EventChoice({ _ in false }, region: nil)
        #expect(usual.contains(kind: "entered", region: "a") && usual.contains(kind: "left", region: "b"))
        #expect(!usual.contains(kind: "determined", region: "a") && !usual.contains(kind: "overflowed", region: nil))
        let chosen = EventChoice({ $0 == "leave" }, region: "a")
        #expect(chosen.contains(kind: "left", region: "a"))
        #expect(!chosen.contains(kind: "left", region: "b") && !chosen.contains(kind: "entered", region: "a"))
    }

    @Test func `a failed command is run again after longer and longer pauses`() {
        var policy = FailurePolicy(.retry)
        let steps = (0..<11).map { _ in policy.failed() }
        let pauses = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
        #expect(steps == pauses.map { .retry(seconds: $0) })
        policy.reset()
        #expect(policy.failed() == .retry(seconds: 1))
        var others = [FailurePolicy(.skip), FailurePolicy(.stop)]
        #expect(others[0].failed() == .skip && others[1].failed() == .stop)
    }

    @Test func `the environment describes the event, and nothing of an earlier one`() {
        var event = RegionsInterface.Event(
            sequence: 12, region: "yard", kind: .entered, time: 1_780_300_800.25, crossed: 1_780_300_799,
            passedThrough: true, isSimulated: false)
        let earlier = ["PATH": "/bin", "WAYMARK_STATE": "inside", "WAYMARK_REASON": "fixLost"]
        let environment = EventEnvironment(event, monitor: "home", socketPath: "/s").applied(to: earlier)
        #expect(
            environment == [
                "PATH": "/bin", "WAYMARK_SOCKET": "/s", "WAYMARK_MONITOR": "home", "WAYMARK_REGION": "yard",
                "WAYMARK_EVENT": "entered", "WAYMARK_TIME": "2026-06-01T08:00:00.250Z",
                "WAYMARK_CROSSED": "2026-06-01T07:59:59.000Z", "WAYMARK_SEQUENCE": "12", "WAYMARK_PASSED_THROUGH": "1",
            ])
        event.crossed = nil
        event.kind = .determined
        event.state = .outside
        let next = EventEnvironment(event, monitor: "home", socketPath: "/s").applied(to: environment)
        #expect(next["WAYMARK_CROSSED"] == nil && next["WAYMARK_STATE"] == "outside")
    }

    @Test func `a batch is below the limits of a call`() throws {
        let point = try #require(Coordinate(latitude: -47.123456789012345, longitude: -121.12345678901234))
        func region(_ points: Int) -> FeatureRegion {
            FeatureRegion(
                identifier: String(repeating: "\"", count: 128),
                shape: .polygon(rings: [Array(repeating: point, count: points)]),
                feature: 1, part: nil)
        }
        for points in [1, 50, 10_000] {
            var batch = RegionBatch()
            while !batch.isFull(for: region(points)) { batch.add(region(points)) }
            let request = RegionsInterface.Add(monitor: "m", regions: batch.regions, staged: true)
            #expect(request.parameters.bytes.count < (1 << 20) - 1_000 && (1...1_000).contains(batch.regions.count))
        }
    }
}
