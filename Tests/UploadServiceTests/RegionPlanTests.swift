import Destinations
import Interfaces
import RegionCalls
import TestSupport
import Testing
import Upload

@testable import UploadService

/// What an uploader changes so that its monitor contains the regions of a file.
@Suite struct RegionPlanTests {
    private static func file(_ regions: [(id: String, radius: Int, dwell: Int)]) -> WaypointFile {
        let features = regions.map {
            #"{"type":"Feature","id":"\#($0.id)","properties":{"radius":\#($0.radius),"dwell":\#($0.dwell)},"#
                + #""geometry":{"type":"Point","coordinates":[8.1234567,47.1]}}"#
        }
        let text = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
        return WaypointFile(reading: Array(text.utf8), as: "f")
    }

    private static func present(_ file: WaypointFile) -> [RegionsInterface.Region] {
        file.regions.map { region in
            var region = RegionsInterface.Region(region)
            // As the daemon shows it.
            if region.dwell == 0 { region.dwell = nil }
            return region
        }
    }

    @Test func `what is new or differs is added, and what the file lacks is removed`() {
        let old = Self.file([("a", 50, 0), ("b", 50, 0), ("c", 50, 60)])
        let same = RegionDifference(from: Self.present(old), to: old)
        #expect(same.additions.isEmpty && same.removals.isEmpty && same.batches.isEmpty)
        let new = Self.file([("a", 50, 0), ("b", 51, 0), ("d", 50, 0)])
        let difference = RegionDifference(from: Self.present(old), to: new)
        #expect(difference.additions.map(\.identifier) == ["b", "d"] && difference.removals == ["c"])
        #expect(difference.batches.map { $0.map(\.identifier) } == [["b", "d"]])
        let first = RegionDifference(from: [], to: Self.file((0..<1_000).map { ("r\($0)", 5, 0) }))
        #expect(first.batches.map(\.count) == [1_000])
    }

    @Test func `a plan follows from the setting and its file`() throws {
        let directory = try TemporaryDirectory()
        var configuration = UploadConfiguration()
        configuration.destination.format = .owntracks
        #expect(RegionPlan(configuration) == .none)
        configuration.owntracks.regionsFile = directory.file("home.geojson")
        #expect(RegionPlan(configuration).problem?.contains("home.geojson") == true)
        let yard =
            #"{"type":"Feature","id":"yard","properties":{"radius":5},"geometry":{"type":"Point","coordinates":[8,47]}}"#
        _ = try directory.write("home.geojson", yard)
        #expect(RegionPlan(configuration).count == 1 && RegionPlan(configuration).problem == nil)
        _ = try directory.write(
            "home.geojson", #"{"type":"FeatureCollection","features":[\#(yard),\#(yard),{}]}"#)
        #expect(
            RegionPlan(configuration).problem?.hasSuffix("(and 1 more). Correct it, then reload the uploader") == true)
        configuration.destination.format = .overland
        #expect(RegionPlan(configuration) == .none)
    }

    @Test func `the monitor of each destination has its own name, which the service accepts`() async {
        let name = await RegionLink.monitor(of: String(repeating: "n", count: 128))
        #expect(name.utf8.count <= 128 && name.hasPrefix("waypoints-n"))
        #expect(await RegionLink.monitor(of: "home") == "waypoints-home")
    }
}
