import Interfaces
import Testing

@testable import Daemon

@Suite struct MetricsTests {
    @Test func `metrics are OpenMetrics text with an end mark`() {
        var status = DaemonStatus()
        status.version = "1.2\"3\\"
        status.rejected = ["noFix": 4, "stale": 1]
        status.accepted = 17
        let text = Metrics(status).text
        #expect(text.hasSuffix("\n# EOF\n"))
        #expect(text.contains(#"waymark_build_info{version="1.2\"3\\"} 1"#))
        #expect(text.contains("waymark_fixes_accepted_total 17\n"))
        #expect(text.contains("waymark_reports_rejected_total{reason=\"noFix\"} 4\n"))
        #expect(text.contains("waymark_fix_available 0\n"))
        // A gauge without a known value is omitted, not invented.
        #expect(!text.contains("waymark_fix_age_seconds"))
    }

    @Test func `the network is counted if it is watched`() {
        #expect(!Metrics(DaemonStatus()).text.contains("network"))
        var status = DaemonStatus()
        status.network = DaemonStatus.Network()
        status.network?.status = .satisfied
        status.network?.generation = 3
        status.network?.droppedReports = 4
        status.network?.lookups = ["found": 2, "refused": 1]
        let text = Metrics(status).text
        #expect(text.contains("waymark_network_satisfied 1\n"))
        #expect(text.contains("waymark_network_changes_total 3\n"))
        #expect(text.contains("waymark_network_reports_dropped_total 4\n"))
        #expect(text.contains("waymark_network_lookups_total{outcome=\"refused\"} 1\n"))
    }

    @Test func `uploads are counted`() {
        var status = DaemonStatus()
        status.uploads.count = 3
        status.uploads.failing = 2
        let text = Metrics(status).text
        #expect(text.contains("waymark_uploads 3\n") && text.contains("waymark_uploads_failing 2\n"))
    }

    @Test func `each family is announced once and before its samples`() {
        var status = DaemonStatus()
        status.network = DaemonStatus.Network()
        let lines = Metrics(status).text.split(separator: "\n")
        var families: Set<String> = []
        for line in lines where line.hasPrefix("# TYPE ") {
            #expect(families.insert(String(line.split(separator: " ")[2])).inserted)
        }
        for line in lines where !line.hasPrefix("#") {
            let name = line.prefix { $0 != "{" && $0 != " " }
            #expect(families.contains { name == $0 || name == $0 + "_total" || name == $0 + "_info" }, "\(line)")
        }
    }
}
