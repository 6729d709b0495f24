import GPSD
import Location
import Platform
import TestSupport
import Testing
import Tracking

/// What gpsd made of the fixtures, through the decoder and the filter.
struct RecordedReportsTests {
    /// 2026-11-21T12:00:00Z: after all of the recordings that are not of the future.
    private static let now = UTCTime(microseconds: 1_795_262_400_000_000)

    private struct Outcome {
        var fixes: [Fix] = []
        var rejected: [Rejection: Int] = [:]
    }

    private static func play(_ name: String) throws -> Outcome {
        var splitter = LineSplitter()
        var decoder = ReportDecoder()
        var reports: [Report] = []
        var faults = 0
        let bytes = try read(name)
        splitter.feed(bytes.span) { line in
            do throws(LineFault) { reports.append(try decoder.decode(line)) } catch { faults += 1 }
        }
        #expect(faults == 0)
        var filter = FixFilter()
        var outcome = Outcome()
        for (index, report) in reports.enumerated() {
            let instant = Instant(monotonicNanoseconds: 1_000_000_000 * UInt64(index + 1), utc: now)
            switch report {
            case .sky(let sky): filter.note(sky, at: instant)
            case .tpv(let tpv):
                if case .fix(let fix) = filter.consider(tpv, at: instant) { outcome.fixes.append(fix) }
            default: Issue.record("another class")
            }
        }
        outcome.rejected = filter.rejected
        return outcome
    }

    private static func read(_ name: String) throws -> [UInt8] {
        try BoundedFile.bytes(of: Products.fixture("gpsd/\(name).json"), limit: 1 << 20)
    }

    @Test(arguments: [
        ("null-island", 85, [Rejection.noAccuracy: 1, .duplicateEpoch: 1, .nullIsland: 5]),
        ("teleport", 86, [.noAccuracy: 1, .duplicateEpoch: 1, .impossibleSpeed: 4]),
        ("clock-jump", 60, [.noAccuracy: 1, .duplicateEpoch: 1, .timeBackwards: 30]),
        ("week-ahead", 0, [.weekRollover: 92]),
        ("tunnel", 60, [.noAccuracy: 1, .duplicateEpoch: 1, .noFix: 30]),
        ("simulator-quality", 90, [.noAccuracy: 1, .duplicateEpoch: 1]),
        ("without-error-estimates", 90, [.noAccuracy: 1, .duplicateEpoch: 1]),
    ])
    func `each report is a fix once or is counted by its reason`(
        _ name: String, _ accepted: Int, _ rejected: [Rejection: Int]
    ) throws {
        let outcome = try Self.play(name)
        #expect(outcome.fixes.count == accepted)
        #expect(outcome.rejected == rejected)
    }

    @Test(arguments: ["null-island", "teleport", "clock-jump", "tunnel", "without-error-estimates"])
    func `fixes are in order, with an accuracy, and where the journey was`(_ name: String) throws {
        let fixes = try Self.play(name).fixes
        #expect(!fixes.isEmpty)
        for (earlier, later) in zip(fixes, fixes.dropFirst()) {
            #expect(earlier.time < later.time)
            #expect(later.coordinate.distance(to: earlier.coordinate) < 2000)
        }
        for fix in fixes {
            #expect((0.1...2000).contains(fix.horizontalAccuracy))
            #expect(fix.isSimulated, "an old recording is a replay")
        }
    }
}
