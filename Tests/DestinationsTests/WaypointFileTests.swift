import Destinations
import GeoJSON
import Location
import Regions
import TestSupport
import Testing
import Upload

/// The file with the regions of a destination.
@Suite struct WaypointFileTests {
    private static func feature(
        _ id: String, _ properties: String = #""radius":50"#, _ geometry: String = #""Point","coordinates":[8,47]"#
    ) -> String {
        #"{"type":"Feature","id":"\#(id)","properties":{\#(properties)},"geometry":{"type":\#(geometry)}}"#
    }

    private static let ring = #""Polygon","coordinates":[[[8,47],[8.01,47],[8.01,47.01],[8,47]]]"#

    private static func file(_ features: String...) -> WaypointFile {
        let text = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
        return WaypointFile(reading: Array(text.utf8), as: "home.geojson")
    }

    @Test func `circles become waypoints, and other shapes regions without a circle`() throws {
        let file = Self.file(
            Self.feature("yard", #""radius":50,"dwell":60,"tst":1700000000"#), Self.feature("field", "", Self.ring),
            Self.feature("route", #""width":40"#, #""LineString","coordinates":[[8,47],[8.1,47]]"#))
        #expect(file.problems == [])
        #expect(file.regions.map(\.identifier) == ["yard", "field", "route"] && file.regions[0].dwell == 60)
        let center = try #require(Coordinate(latitude: 47, longitude: 8))
        #expect(
            file.waypoints[0]
                == Waypoint(
                    name: "yard", created: 1_700_000_000, circle: Waypoint.Circle(center: center, radius: 50)))
        #expect(file.waypoints.dropFirst().allSatisfy { $0.circle == nil })
    }

    @Test func `a time of creation follows from the identifier, wherever the feature is`() {
        let one = Self.file(Self.feature("yard"), Self.feature("depot"))
        let other = Self.file(
            Self.feature("mole", "", Self.ring), Self.feature("depot", #""radius":9"#), Self.feature("yard"))
        func time(_ file: WaypointFile, _ name: String) -> Int64? { file.waypoints.first { $0.name == name }?.created }
        #expect(time(one, "yard") == time(other, "yard") && time(one, "depot") == time(other, "depot"))
        // Pinned: servers identify waypoints by it.
        #expect(time(one, "yard") == 1_157_531_856)
        let many = Self.file((0..<1_000).map { Self.feature("stop \($0)") }.joined(separator: ","))
        #expect(many.problems == [] && Set(many.waypoints.map(\.created)).count == 1_000)
        #expect(many.waypoints.allSatisfy { (946_684_800..<1_500_000_000).contains($0.created) })
    }

    @Test func `a time that a feature has is used, and others avoid it`() throws {
        let derived = try #require(Self.file(Self.feature("yard")).waypoints.first?.created)
        let file = Self.file(Self.feature("yard"), Self.feature("depot", #""radius":5,"tst":\#(derived)"#))
        #expect(file.problems == [] && file.waypoints.map(\.created) == [derived + 1, derived])
        // The parts of a geometry count on.
        let parts = Self.file(
            Self.feature("stops", #""radius":5,"tst":1000"#, #""MultiPoint","coordinates":[[8,47],[8.1,47]]"#))
        #expect(parts.waypoints.map { "\($0.name) \($0.created)" } == ["stops-1 1000", "stops-2 1001"])
    }

    @Test func `every problem is reported with its feature, ring and point, and without a coordinate`() {
        let file = Self.file(
            Self.feature("a", ""), Self.feature("b", #""radius":50,"tst":"yesterday""#),
            Self.feature("c", #""radius":50,"tst":5"#), Self.feature("d", #""radius":50,"tst":5"#), Self.feature("c"),
            Self.feature("e", "", #""Polygon","coordinates":[[[8,47],[8.02,47],[8.02,47.01],[8.01,46.99],[8,47]]]"#),
            Self.feature("f", #""radius":50"#, #""Point","coordinates":[8,98]"#))
        let problems = file.problems.joined(separator: "\n")
        for text in [
            "home.geojson: feature 1 (a): a point needs a property radius",
            "feature 2 (b): the property tst has to be a whole number of seconds since 1970",
            "feature 4 (d): the property tst has to be another time than that of feature 3",
            "feature 5 (c): feature 3 has the same identifier", "feature 6 (e): point ", "feature 7 (f)",
        ] { #expect(problems.contains(text), "\(text) in\n\(problems)") }
        #expect(file.problems.count == 6 && !problems.contains("47") && !problems.contains("98"))
    }

    @Test func `more regions than allowed, no JSON, and no file are problems`() throws {
        let many = Self.file((0...1_000).map { Self.feature("stop \($0)") }.joined(separator: ","))
        #expect(many.problems == ["home.geojson: it has 1001 regions; at most 1000 are allowed"])
        #expect(WaypointFile(reading: Array("{".utf8), as: "f").problems.count == 1)
        #expect(
            WaypointFile(reading: "/nowhere/home.geojson").problems.first?.contains("/nowhere/home.geojson") == true)
        #expect(Self.file().problems == [])
        let example = WaypointFile(reading: try Products.file("Examples/regions/home.geojson"))
        #expect(example.problems == [] && example.waypoints.map(\.name) == ["home", "camp site"])
    }

    @Test func `only OwnTracks has regions`() {
        func keys(_ format: String) -> [String] {
            let text = "[Destination]\nURL=https://a.example\nFormat=\(format)\n[Device]\nUser=j\nName=v\n"
            let file = DestinationFile(reading: Array((text + "[OwnTracks]\nRegions=/etc/r.geojson\n").utf8), as: "f")
            return file.problems.compactMap(\.key)
        }
        #expect(keys("owntracks") == [] && keys("overland") == ["Regions"])
    }
}
