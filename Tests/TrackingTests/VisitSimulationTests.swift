import Glibc
import Location
import ReceiverSimulator
import TestTraits
import Testing

@testable import Tracking

/// What the detector finds on many journeys, compared with their truth.
@Suite(.computes) struct VisitSimulationTests {
    /// The result over some journeys.
    private struct Score {
        var found = 0
        var missed = 0
        var falseVisits = 0
        /// Seconds by which a visit began or ended later than the true stay.
        var arrivals: [Double] = []
        var departures: [Double] = []
        /// Metres from the true middle.
        var distances: [Double] = []

        var precision: Double { Double(found) / Double(max(1, found + falseVisits)) }
        var recall: Double { Double(found) / Double(max(1, found + missed)) }

        static func percentile(_ share: Double, of values: [Double]) -> Double {
            let sorted = values.map(abs).sorted()
            return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
        }
    }

    private func seconds(_ time: UTCTime) -> Double { time.seconds(since: Preset.usualStart) }

    /// The last state of each visit that was reported. A departure replaces the visit as it arrived.
    private func visits(of journey: Journey, seed: UInt64) -> [Visit] {
        var detector = VisitDetector()
        var visits: [Visit] = []
        for epoch in JourneyFixes(of: journey, seed: seed) {
            guard let fix = epoch.fix else { continue }
            for event in detector.receive(fix) {
                switch event {
                case .arrived(let visit): visits.append(visit)
                case .departed(let visit): visits[visits.count - 1] = visit
                }
            }
        }
        return visits
    }

    private func add(_ journey: Journey, seed: UInt64, to score: inout Score) {
        var visits = visits(of: journey, seed: seed)
        for stay in journey.stays {
            let (begin, end) = (stay.arrival ?? 0, stay.departure ?? journey.duration)
            let index = visits.firstIndex { visit in
                let from = max(begin, visit.arrival.map(seconds) ?? 0)
                let until = min(end, visit.departure.map(seconds) ?? journey.duration)
                return until - from >= 0.5 * (end - begin)
                    && visit.coordinate.distance(to: stay.coordinate) <= 100
            }
            guard let index else {
                score.missed += 1
                continue
            }
            let visit = visits.remove(at: index)
            score.found += 1
            score.distances.append(visit.coordinate.distance(to: stay.coordinate))
            if let truth = stay.arrival, let arrival = visit.arrival { score.arrivals.append(seconds(arrival) - truth) }
            if let truth = stay.departure, let departure = visit.departure {
                score.departures.append(seconds(departure) - truth)
            }
        }
        score.falseVisits += visits.count
    }

    /// `WAYMARK_JOURNEYS=1000` measures more journeys than a usual test run does.
    @Test func `precision, recall and the errors of arrival and departure over many journeys`() {
        let count = getenv("WAYMARK_JOURNEYS").flatMap { UInt64(String(cString: $0)) } ?? 24
        var score = Score()
        for seed in 1...count { add(.random(seed: seed), seed: seed, to: &score) }
        func text(_ values: [Double]) -> String {
            "median \(Int(Score.percentile(0.5, of: values))), 95 % \(Int(Score.percentile(0.95, of: values)))"
        }
        print(
            """
            visits: \(count) journeys, \(score.found + score.missed) stays, precision \(score.precision), \
            recall \(score.recall); arrival \(text(score.arrivals)) s; departure \(text(score.departures)) s; \
            centre \(text(score.distances)) m
            """)
        #expect(score.precision >= 0.97)
        #expect(score.recall >= 0.95)
        #expect(Score.percentile(0.5, of: score.arrivals) <= 10)
        #expect(Score.percentile(0.5, of: score.departures) <= 10)
        #expect(Score.percentile(0.95, of: score.arrivals) <= 90)
        #expect(Score.percentile(0.95, of: score.departures) <= 60)
    }

    @Test(arguments: ["commute", "ferry", "anchorage"])
    func `the scenarios of the simulator have the visits that they say, and no others`(name: String) throws {
        let journey = try #require(Preset.named(name)?.journey)
        for seed: UInt64 in 1...2 {
            var score = Score()
            add(journey, seed: seed, to: &score)
            #expect(score.missed == 0 && score.falseVisits == 0)
        }
    }
}
