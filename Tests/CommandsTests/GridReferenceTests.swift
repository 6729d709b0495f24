import Location
import Testing

@testable import Commands

/// References of the military grid. The expected ones were computed with two other implementations: GEOTRANS for the
/// references, PROJ for their metres.
@Suite struct GridReferenceTests {
    @Test(arguments: [
        // Both hemispheres.
        (48.13743, 11.57549, "32U PU 91602 34783"), (38.8977, -77.0365, "18S UJ 23394 07395"),
        (35.6586, 139.7454, "54S UE 86437 46808"), (61.2181, -149.9003, "06V UN 44247 90536"),
        (-33.8568, 151.2153, "56H LH 34900 52288"), (-33.9249, 18.4241, "34H BH 61881 43182"),
        (-0.1807, -78.4678, "17M QV 81861 80007"), (-54.8019, -68.3030, "19F EV 44805 27029"),
        (-77.85, 166.667, "58C EU 39161 57813"), (-16.5, -179.5, "01K BB 33124 74101"),
        // The equator.
        (0, 0, "31N AA 66021 00000"), (-1e-7, 20.5, "34M DE 44361 99999"), (1e-7, 21.3, "34N EF 33382 00000"),
        (-1e-13, 20.5, "34M DE 44361 99999"),
        // Borders of bands and zones.
        (8, 39.3, "37P EJ 33059 84309"), (-8, 39.3, "37M EM 33059 15690"),
        (47.58, 5.999999, "31T GN 25587 73982"), (47.58, 6, "32T KT 74412 73982"),
        (83.999999, -50.5, "22X EU 05834 28119"), (-80, 100.2, "47C NM 23261 18174"),
        // The antimeridian.
        (-17, 179.999999, "60K ZG 19451 17998"), (-17, 180, "01K AB 80548 17998"), (-17, -180, "01K AB 80548 17998"),
        // The wide zone of south-western Norway.
        (60.3913, 5.3221, "32V KN 97353 00648"), (59.9139, 10.7522, "32V NM 97979 43118"),
        (58, 3, "32V JK 45629 44468"), (58, 2.999999, "31V DE 99999 28710"), (60, 12, "33V UG 32705 55205"),
        (63.999999, 4, "32V KS 55630 06606"), (64, 4, "31W EL 48910 97397"), (56, 4, "32V JH 88309 17366"),
        (55.999999, 4, "31U EC 62366 06530"),
        // The zones of Svalbard.
        (78.2232, 15.6267, "33X WG 14278 83355"), (75, 8.999999, "31X FD 73068 32368"), (75, 9, "33X UD 26931 32368"),
        (75, 20.999999, "33X XD 73068 32368"), (75, 21, "35X LD 26931 32368"), (75, 32.999999, "35X PD 73068 32368"),
        (75, 33, "37X CD 26931 32368"), (75, 41.999999, "37X ED 86637 25798"), (75, 42, "38X MJ 13362 25798"),
        (71.999999, 8, "32W ME 65510 89218"), (72, 8, "31X FV 72275 96086"),
        // The poles.
        (90, 0, "Z AH 00000 00000"), (-90, 0, "B AN 00000 00000"), (86.2, -135.7, "Y XL 05241 02050"),
        (88.4, 12.3, "Z AF 37844 26428"), (85.1, 180, "Z AN 00000 44335"), (85.1, -180, "Z AN 00000 44335"),
        (85, -90, "Y SH 44542 00000"), (85, 90, "Z HH 55457 00000"), (84.0001, 90, "Z JH 66716 00000"),
        (-83.7, -60.4, "A RR 91243 45822"), (-89.1, 95.5, "B AM 99463 90422"), (-85, -90, "A SN 44542 00000"),
        (-85, 90, "B HN 55457 00000"), (-81, 100, "B PL 85980 26145"),
    ])
    func `a place has its reference`(_ latitude: Double, _ longitude: Double, _ expected: String) throws {
        let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
        #expect(GridReference(place).text(within: 1) == expected)
    }

    @Test(arguments: [
        (0.02, "32U PU 91602 34783"), (99.9, "32U PU 91602 34783"), (100, "32U PU 9160 3478"),
        (1_000, "32U PU 916 347"), (9_999, "32U PU 916 347"), (10_000, "32U PU 91 34"), (.infinity, "32U PU 91 34"),
    ])
    func `a reference has the digits that its accuracy justifies`(_ accuracy: Double, _ expected: String) throws {
        let place = try #require(Coordinate(latitude: 48.13743, longitude: 11.57549))
        #expect(GridReference(place).text(within: accuracy) == expected)
    }

    @Test(arguments: [
        (47.58, -1.0, -75_198.610_493, 5_270_105.151_617), (0, 3, 333_978.556_919, 0),
        (83.999_999, 0.5, 5_834.978_672, 9_328_119.039_513), (58, -6, -354_370.468_215, 6_444_468.053_663),
    ])
    func `the projection agrees with PROJ to a micrometre`(
        _ latitude: Double, _ longitude: Double, _ east: Double, _ north: Double
    ) {
        let projected = TransverseMercator.project(latitude: latitude, longitude: longitude)
        #expect(abs(projected.east - east) < 1e-6 && abs(projected.north - north) < 1e-6, "\(projected)")
    }

    @Test func `the polar projection agrees with PROJ to a micrometre`() {
        let projected = PolarStereographic.project(latitude: -83.7, longitude: -60.4)
        #expect(abs(projected.east + 2_000_000 - 1_391_243.029101) < 1e-6)
        #expect(abs(projected.north + 2_000_000 - 2_345_822.090846) < 1e-6)
    }

    @Test func `every place of the world has a reference`() throws {
        var wrong: [String] = []
        for latitude in stride(from: -90.0, through: 90, by: 0.5) {
            for longitude in stride(from: -180.0, through: 180, by: 1.5) {
                let reference = GridReference(try #require(Coordinate(latitude: latitude, longitude: longitude)))
                let isPolar = latitude < -80 || latitude >= 84
                let fits =
                    (0..<100_000).contains(reference.easting) && (0..<100_000).contains(reference.northing)
                    && reference.zone.utf8.count == (isPolar ? 1 : 3) && reference.square.utf8.count == 2
                if !fits { wrong.append("\(latitude), \(longitude): \(reference)") }
            }
        }
        #expect(wrong.isEmpty)
    }
}
