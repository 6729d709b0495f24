import Location
import Regions
import Storage
import TestSupport
import Testing

@testable import RegionStorage

private func decoded(_ bytes: [UInt8]) throws(PayloadError) -> RegionPayload.Content {
    try bytes.withUnsafeBytes { bytes in
        Result { () throws(PayloadError) in try RegionPayload.decode(bytes) }
    }.get()
}

@Suite struct RegionPayloadTests {
    static let coordinate = Coordinate(clampedLatitude: 47.123_456_7, clampedLongitude: 8.765_432_1)

    static func ring(_ points: [(Double, Double)]) -> [Coordinate] {
        points.map { Coordinate(clampedLatitude: $0.0, clampedLongitude: $0.1) }
    }

    static let shapes: [Region.Shape] = [
        .circle(center: coordinate, radius: 1),
        .circle(center: Coordinate(clampedLatitude: 90, clampedLongitude: 0), radius: 5_000_000),
        .circle(center: Coordinate(clampedLatitude: -90, clampedLongitude: -180), radius: 123.456_789_012_3),
        .circle(center: Coordinate(clampedLatitude: 1 / 3, clampedLongitude: -2 / 3), radius: 50),
        // Over the antimeridian, with a hole.
        .polygon(rings: [
            ring([(-17, 179), (-17, -179), (-19, -179), (-19, 179), (-17, 179)]),
            ring([(-17.5, 179.5), (-18, -179.9), (-18.2, 179.6)]),
        ]),
        // Around the north pole and around the south pole.
        .polygon(rings: [ring([(80, 0), (80, 90), (80, 180), (80, -90)])]),
        .polygon(rings: [ring([(-85.000_000_1, 0), (-85, 120), (-85, -120)])]),
        .corridor(line: ring([(0, 179.9), (0.1, -179.9), (0.123_456_789_123, -179.5)]), halfWidth: 1),
        .corridor(
            line: (0..<10_000).map { Coordinate(clampedLatitude: 50, clampedLongitude: Double($0) / 1_000) },
            halfWidth: 1_000_000),
    ]

    @Test(arguments: shapes) func `a region is the same after it was stored`(_ shape: Region.Shape) throws {
        let region = try Region(shape)
        for (dwell, loitering) in [(0.0, nil), (60, 0), (0.1, 604_800), (1.0 / 3, 5)] as [(Double, Double?)] {
            let bytes = RegionPayload.bytes(region, dwell: dwell, loitering: loitering)
            let content = try decoded(bytes)
            #expect(content == RegionPayload.Content(region: region, dwell: dwell, loitering: loitering))
        }
    }

    @Test func `a usual circle takes few bytes, and each point of a line fewer`() throws {
        let circle = try Region(.circle(center: Self.coordinate, radius: 75))
        #expect(RegionPayload.bytes(circle, dwell: 0, loitering: nil).count == 15)
        let line = (0..<100).map {
            Coordinate(clampedLatitude: 47.1, clampedLongitude: Double(8_000_000 + $0 * 50) / 1e6)
        }
        let corridor = try Region(.corridor(line: line, halfWidth: 20))
        #expect(RegionPayload.bytes(corridor, dwell: 0, loitering: nil).count < 320)
    }

    @Test(arguments: shapes.dropLast()) func `a part of a payload is refused`(_ shape: Region.Shape) throws {
        let bytes = RegionPayload.bytes(try Region(shape), dwell: 30, loitering: 60)
        for count in 0..<bytes.count {
            #expect(throws: PayloadError.self) {
                try decoded(Array(bytes[..<count]))
            }
        }
        #expect(throws: PayloadError.tooLong) {
            try decoded(bytes + [0])
        }
    }

    @Test func `bytes with a wrong bit are refused or another valid region`() throws {
        let regions = try Self.shapes.dropLast().map { try Region($0) }
        for region in regions {
            let bytes = RegionPayload.bytes(region, dwell: 30, loitering: nil)
            for bit in 0..<(bytes.count * 8) {
                var wrong = bytes
                wrong[bit / 8] ^= 1 << (bit % 8)
                do throws(PayloadError) {
                    let content = try decoded(wrong)
                    #expect(content.region.pointCount <= Region.maximumPoints)
                } catch {
                    #expect(error != .version(1))
                }
            }
        }
    }

    @Test(arguments: [
        ([2, 0, 0], PayloadError.version(2)), ([1, 3, 0], .unknownBits), ([1, 0x20, 0], .unknownBits),
        ([1, 0, 10], .number), ([1, 1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], .tooShort),
        ([1, 2, 0, 0xA0, 0x1F, 0xFF, 0xFF, 0x0F, 0], .tooShort),
        // A circle with a radius of 1 m at latitude 91.
        ([1, 0, 0, 0xD0, 0x0F, 0xB6, 0x01, 0], .coordinate),
        // A circle with a radius of 0.
        ([1, 0, 0, 0, 2, 2], .shape),
    ]) func `invalid bytes are refused`(_ bytes: [UInt8], _ expected: PayloadError) {
        #expect(throws: expected) {
            try decoded(bytes)
        }
    }
}
