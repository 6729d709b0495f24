import NetworkPaths
import Reachability
import Testing

struct TargetReportsTests {
    @Test func `three failures in a row make a host suspect until it replies`() throws {
        var reports = TargetReports()
        let key = try target("192.0.2.7")
        let suspicions = [ReportedOutcome.failed, .failed, .answered, .failed, .failed, .failed, .failed, .answered]
            .map { outcome in
                reports.append(outcome, for: key)
                return reports.summary(of: key).isSuspect
            }
        #expect(suspicions == [false, false, false, false, false, true, true, false])
    }

    @Test func `findings stay valid until the host replies or the path changes`() throws {
        var reports = TargetReports()
        let key = try target("192.0.2.7")
        reports.append(.captive, for: key)
        reports.append(.failed, for: key)
        #expect(reports.summary(of: key).finding == .captive)
        #expect(reports.summary(of: key).failures == 1)
        reports.append(.limited, for: key)
        #expect(reports.summary(of: key).finding == .limited)
        reports.append(.answered, for: key)
        #expect(reports.summary(of: key) == TargetReports.Summary())
        reports.append(.captive, for: key)
        reports.pathChanged()
        #expect(reports.summary(of: key) == TargetReports.Summary())
    }

    @Test func `outcomes count for the user, the host and the port that they were reported for`() throws {
        var reports = TargetReports()
        let key = try target("192.0.2.7", port: 443)
        for _ in 0..<3 { reports.append(.failed, for: key) }
        for other in [
            try target("192.0.2.7", port: 443, uid: 7), try target("192.0.2.7"), try target("192.0.2.8", port: 443),
        ] {
            #expect(!reports.summary(of: other).isSuspect)
        }
    }

    @Test func `of too many hosts of one user the first is dropped, and none of another user`() throws {
        var reports = TargetReports()
        let mine = try target("192.0.2.7", uid: 7)
        reports.append(.failed, for: mine)
        for number in 0..<TargetReports.maximumHosts + 5 {
            reports.append(.failed, for: try target("10.0.0.\(number)"))
        }
        #expect(reports.dropped == 5)
        #expect(reports.summary(of: try target("10.0.0.4")).failures == 0)
        #expect(reports.summary(of: try target("10.0.0.5")).failures == 1)
        #expect(reports.summary(of: mine).failures == 1)
    }

    @Test func `of too many users the first is dropped`() throws {
        var reports = TargetReports()
        func host(of user: Int) throws -> TargetKey { try target("192.0.2.7", uid: 10_000 + UInt32(user)) }
        for number in 0..<3 { reports.append(.failed, for: try target("10.0.0.\(number)", uid: 7)) }
        for user in 1..<TargetReports.maximumUsers { reports.append(.failed, for: try host(of: user)) }
        #expect(reports.dropped == 0)
        reports.append(.failed, for: try host(of: 0))
        #expect(reports.dropped == 3)
        #expect(reports.summary(of: try target("10.0.0.2", uid: 7)) == TargetReports.Summary())
        #expect(reports.summary(of: try host(of: 0)).failures == 1)
        #expect(reports.summary(of: try host(of: 1)).failures == 1)
        // That user is the first now.
        reports.append(.failed, for: try target("10.0.0.0", uid: 7))
        #expect(reports.dropped == 4)
        #expect(reports.summary(of: try host(of: 1)) == TargetReports.Summary())
    }

    @Test func `users without outcomes displace no others, and hosts that reply are removed`() throws {
        var reports = TargetReports()
        let mine = try target("192.0.2.7", uid: 7)
        reports.append(.failed, for: mine)
        for user in 0..<2 * UInt32(TargetReports.maximumUsers) {
            let host = try target("10.0.0.1", uid: 10_000 + user)
            reports.append(.answered, for: host)
            reports.append(.captive, for: host)
            reports.append(.answered, for: host)
        }
        for number in 0..<2 * TargetReports.maximumHosts {
            reports.append(.failed, for: try target("10.0.0.\(number)", uid: 7))
            reports.append(.answered, for: try target("10.0.0.\(number)", uid: 7))
        }
        #expect(reports.dropped == 0)
        #expect(reports.summary(of: mine).failures == 1)
    }
}
