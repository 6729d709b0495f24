import Location
import Testing

@testable import ReceiverSimulator

struct SkyTests {
    private let sky = Sky(constellations: [.gps, .glonass, .galileo, .beidou, .sbas])
    private let noon = UTCTime(microseconds: 1_780_315_200_000_000)

    @Test(arguments: [(47.58, 21.12), (-47.35, -69.87), (64.78, -18.05), (0, 0), (89.9, 10)])
    func `enough satellites stand above every place at every hour`(latitude: Double, longitude: Double) {
        for hour in 0..<24 {
            let time = UTCTime(microseconds: noon.microseconds + Int64(hour) * 3_600_000_000)
            let satellites = sky.satellites(at: time, latitude: latitude, longitude: longitude)
            for constellation in [Constellation.gps, .glonass, .galileo, .beidou] {
                #expect((4...16).contains(satellites.count { $0.constellation == constellation }))
            }
            #expect(satellites.allSatisfy { $0.elevation > 0 && $0.elevation <= 90 })
            #expect(satellites.allSatisfy { $0.azimuth >= 0 && $0.azimuth < 360 })
            #expect(Set(satellites.map(\.description)).count == satellites.count)
        }
    }

    @Test func `a satellite moves less than a degree in a minute`() {
        let before = sky.satellites(at: noon, latitude: 47, longitude: 21)
        let minuteLater = UTCTime(microseconds: noon.microseconds + 60_000_000)
        let after = sky.satellites(at: minuteLater, latitude: 47, longitude: 21)
        for satellite in before {
            guard let same = after.first(where: { $0.description == satellite.description }) else { continue }
            #expect(abs(same.elevation - satellite.elevation) < 1)
            #expect(same.elevation != satellite.elevation || satellite.constellation == .sbas)
        }
    }

    @Test func `GPS satellites come back after a sidereal day`() throws {
        let before = Sky(constellations: [.gps]).satellites(at: noon, latitude: 47, longitude: 21)
        let dayLater = UTCTime(microseconds: noon.microseconds + 86_164_100_000)
        let after = Sky(constellations: [.gps]).satellites(at: dayLater, latitude: 47, longitude: 21)
        let high = try #require(before.max { $0.elevation < $1.elevation })
        let same = try #require(after.first { $0.number == high.number })
        #expect(abs(same.elevation - high.elevation) < 1)
    }

    @Test func `the dilution is that of the geometry`() throws {
        // One overhead and three on the horizon, 120° apart: each part is the root of 4/3.
        let satellites = [(90.0, 0.0), (0, 0), (0, 120), (0, 240)].enumerated().map { index, place in
            Sky.Satellite(constellation: .gps, number: index, elevation: place.0, azimuth: place.1)
        }
        let dilution = try #require(DilutionOfPrecision(of: satellites, heightIsHeld: false))
        #expect(abs(dilution.horizontal - 1.154_700_5) < 1e-6)
        #expect(abs(dilution.vertical - 1.154_700_5) < 1e-6)
        #expect(abs(dilution.position - 1.632_993_2) < 1e-6)
        let flat = try #require(DilutionOfPrecision(of: Array(satellites.dropFirst()), heightIsHeld: true))
        #expect(abs(flat.horizontal - 1.154_700_5) < 1e-6)
    }

    @Test func `too few satellites, or all in one place, give no dilution`() {
        let one = Sky.Satellite(constellation: .gps, number: 1, elevation: 40, azimuth: 30)
        #expect(DilutionOfPrecision(of: [one, one, one], heightIsHeld: false) == nil)
        #expect(DilutionOfPrecision(of: [one, one, one, one], heightIsHeld: false) == nil)
    }
}

extension Sky.Satellite {
    fileprivate var description: String { "\(constellation) \(number)" }
}
