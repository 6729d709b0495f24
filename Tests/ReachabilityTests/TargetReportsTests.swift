import Location
import Reachability
import Testing

struct TargetReportsTests {
    @Test func `three failures in a row make a host suspect until it answers`() throws {
        var reports = TargetReports()
        let key = try target("192.0.2.7")
        let suspicions = [ReportedOutcome.failed, .failed, .answered, .failed, .failed, .failed, .failed, .answered]
            .map { outcome in
                reports.take(outcome, for: key)
                return reports.summary(of: key).isSuspect
            }
        #expect(suspicions == [false, false, false, false, false, true, true, false])
    }

    @Test func `findings hold until the host answers or the path changes`() throws {
        var reports = TargetReports()
        let key = try target("192.0.2.7")
        reports.take(.captive, for: key)
        reports.take(.failed, for: key)
        #expect(reports.summary(of: key).finding == .captive)
        #expect(reports.summary(of: key).failures == 1)
        reports.take(.limited, for: key)
        #expect(reports.summary(of: key).finding == .limited)
        reports.take(.answered, for: key)
        #expect(reports.summary(of: key) == TargetReports.Summary())
        reports.take(.captive, for: key)
        reports.pathChanged()
        #expect(reports.summary(of: key) == TargetReports.Summary())
    }

    @Test func `reports count for the user, the host and the port they were made for`() throws {
        var reports = TargetReports()
        let key = try target("192.0.2.7", port: 443)
        for _ in 0..<3 { reports.take(.failed, for: key) }
        for other in [
            try target("192.0.2.7", port: 443, uid: 7), try target("192.0.2.7"), try target("192.0.2.8", port: 443),
        ] {
            #expect(!reports.summary(of: other).isSuspect)
        }
    }

    @Test func `of too many hosts the first is forgotten, of another user none`() throws {
        var reports = TargetReports()
        let mine = try target("192.0.2.7", uid: 7)
        reports.take(.failed, for: mine)
        for number in 0..<TargetReports.maximumHosts + 5 {
            reports.take(.failed, for: try target("10.0.0.\(number)"))
        }
        #expect(reports.dropped == 5)
        #expect(reports.summary(of: try target("10.0.0.4")).failures == 0)
        #expect(reports.summary(of: try target("10.0.0.5")).failures == 1)
        #expect(reports.summary(of: mine).failures == 1)
        for uid in 0..<UInt32(TargetReports.maximumUsers) {
            reports.take(.failed, for: try target("192.0.2.7", uid: 10_000 + uid))
        }
        #expect(reports.dropped == 7)
    }

    @Test func `answers of hosts that nothing was said of take no room`() throws {
        var reports = TargetReports()
        for number in 0..<100 { reports.take(.answered, for: try target("10.0.0.\(number)")) }
        #expect(reports.dropped == 0)
    }
}
