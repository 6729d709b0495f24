import GeoJSON
import JSONText
import Location
import Regions
import Testing

@Suite struct GeoJSONFeatureTests {
    private func feature(_ geometry: String, _ more: String = "", number: Int? = 7) throws -> GeoJSONFeature {
        try GeoJSONFeature(Array(#"{\#(more)"geometry":\#(geometry),"type":"Feature"}"#.utf8), number: number)
    }

    private func coordinate(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
        try #require(Coordinate(latitude: latitude, longitude: longitude))
    }

    private static let point = #"{"type":"Point","coordinates":[21.12,47.58,90.5]}"#

    @Test func `the longitude is the first number, and the altitude is ignored`() throws {
        let feature = try feature(Self.point)
        #expect(feature.geometry == .points([try coordinate(47.58, 21.12)]))
    }

    @Test func `the type may be after the coordinates`() throws {
        let feature = try feature(#"{"coordinates":[[21,47],[22,48]],"bbox":[1,2,3,4],"type":"LineString"}"#)
        #expect(feature.geometry == .lines([[try coordinate(47, 21), try coordinate(48, 22)]]))
    }

    @Test(
        arguments: [
            (#""id":"a","properties":{"id":"b","identifier":"c","name":"d"},"#, "a"),
            (#""properties":{"name":"d","identifier":"c","id":"b"},"id":null,"#, "b"),
            (#""properties":{"name":"d","identifier":"c"},"#, "c"), (#""properties":{"name":"d","id":""},"#, "d"),
            (#""id":12,"properties":null,"#, "12"), (#""properties":{"id": 1.50 },"#, "1.50"),
            (#""properties":{"name":["x"]},"#, nil), ("", nil),
        ] as [(String, String?)])
    func `the identifier is the best of four`(members: String, identifier: String?) throws {
        #expect(try feature(Self.point, members).identifier == identifier)
    }

    @Test func `a point is a circle, a line a corridor and a polygon itself`() throws {
        let defaults = FeatureRegion.Defaults(radius: 5, width: 60, dwell: 30)
        let circle = try feature(Self.point, #""id":"a","properties":{"radius":80,"dwell":0,"loitering":900},"#)
            .regions(number: 1, defaults)
        #expect(
            circle == [
                FeatureRegion(
                    identifier: "a", shape: .circle(center: try coordinate(47.58, 21.12), radius: 80), dwell: 0,
                    loitering: 900, feature: 1, part: nil)
            ])
        let line = try feature(#"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#, #""id":"b","#)
            .regions(number: 2, defaults)
        #expect(line.first?.shape == .corridor(line: [try coordinate(2, 1), try coordinate(4, 3)], halfWidth: 30))
        #expect(line.first?.dwell == 30)
    }

    @Test func `each part of a geometry is a region with its number`() throws {
        let polygons = #"{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]],[[[5,0],[6,0],[6,1]]]]}"#
        let regions = try feature(polygons, #""id":"a","#).regions(number: 3)
        #expect(regions.map(\.identifier) == ["a-1", "a-2"] && regions.map(\.part) == [1, 2])
        let points = try feature(#"{"type":"MultiPoint","coordinates":[[0,0]]}"#, #""id":"a","#)
            .regions(number: 3, FeatureRegion.Defaults(radius: 1))
        #expect(points.map(\.identifier) == ["a"] && points.first?.part == nil)
    }

    @Test(
        arguments: [
            (
                #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,91],[0,0]]]}"#,
                "feature 7 (a): point 3 of ring 1: the latitude has to be between -90 and 90 and the longitude between"
                    + " -180 and 180 degrees"
            ),
            (
                #"{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1]]],[[[0,0],[1,1],[1,0],[0,1]]]]}"#,
                "feature 7 (a-2), part 2: point 1 of ring 1: the edge from here crosses the edge from point 3 of ring 1"
            ),
            (
                #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,"1"]]]}"#,
                "feature 7 (a): its coordinates are not nested as the type of its geometry requires: a position is"
                    + " [longitude, latitude]"
            ),
            (#"{"type":"Polygon","coordinates":[[0,0],[1,0],[1,1]]}"#, "are not nested"),
            (#"{"type":"Polygon","coordinates":[]}"#, "a polygon needs a ring"),
            (#"{"type":"MultiPolygon","coordinates":[]}"#, "are not nested"),
            (#"{"type":"Point","coordinates":[21]}"#, "are not nested"), (#"{"type":"Point"}"#, "are not nested"),
            (Self.point, "a point needs a property radius in metres"),
            (#"{"type":"LineString","coordinates":[[0,0],[1,0]]}"#, "a line needs a property width in metres"),
            (#"{"type":"GeometryCollection","geometries":[]}"#, "its geometry is no region"),
            (#"{"type":"Circle","coordinates":[1,2]}"#, "it is no GeoJSON"), ("null", "it has no geometry"),
        ])
    func `an error says where and what, without a coordinate`(geometry: String, text: String) throws {
        let error = #expect(throws: GeoJSONError.self) {
            for region in try feature(geometry, #""id":"a","#).regions(number: 7) { _ = try region.validated() }
        }
        #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
        #expect(error?.feature == 7)
    }

    @Test(
        arguments: [
            (#""id":"a","properties":{"radius":"80"},"#, "the property radius has to be a number of metres"),
            (#""id":"a","properties":{"dwell":-1},"#, "the property dwell has to be a number of seconds up to a week"),
            (#""id":"a","properties":[],"#, "the property properties has to be an object"),
            (#""id":"a\u0007","#, "its identifier has to be 1 to 128 bytes long"), ("", "it has no identifier"),
            (#""id":x,"#, "it is no JSON: an unexpected character at byte 6"),
        ])
    func `members with a meaning are checked`(members: String, text: String) {
        let error = #expect(throws: GeoJSONError.self) {
            try feature(Self.point, members).regions(number: 7, FeatureRegion.Defaults(radius: 1))
        }
        #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
    }

    @Test func `an element of a collection is a feature, and a text by itself may be a geometry`() throws {
        let text = Array(Self.point.utf8)
        #expect(throws: GeoJSONError(.notAFeature, feature: 2)) { try GeoJSONFeature(text, number: 2) }
        let feature = try GeoJSONFeature(text, number: nil)
        #expect(feature.identifier == nil)
        #expect(feature.geometry == .points([try coordinate(47.58, 21.12)]))
    }

    @Test func `properties that are ignored may be nested, but not without a limit`() throws {
        func nested(_ depth: Int) throws -> GeoJSONFeature {
            let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return try feature(Self.point, #""id":"a","properties":{"x":\#(value)},"#)
        }
        #expect(try nested(60).identifier == "a")
        #expect(throws: GeoJSONError.self) { try nested(100_000) }
    }
}
