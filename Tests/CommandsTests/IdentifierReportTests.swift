import CommandLineKit
import Interfaces
import JSONText
import Testing
import Varlink

@testable import Commands

@Suite struct IdentifierReportTests {
    private func event(_ time: Double, _ app: String, user: Int64 = 4_294_967_290) -> JournalEntry {
        JournalEntry(
            sequence: 1, time: time, monotonic: 0, boot: "", kind: "identifierDisclosed", app: app, user: user,
            details: ["kind": "identifierForVendor", "vendor": "org.example", "isPersonal": false])
    }

    private func query(_ first: Double, _ last: Double, _ app: String) -> ManageInterface.IdentifierQuery {
        ManageInterface.IdentifierQuery(
            app: app, uid: 4_294_967_290, kind: .identifierForVendor, vendor: "org.example", isPersonal: false,
            first: first, last: last)
    }

    @Test func `events and the list are one report, also about removed apps`() {
        var report = IdentifierReport(since: 100_000, until: 200_000, user: nil)
        report.append(event(110_000, "removed"))
        report.append(event(120_000, "map"))
        report.append(query(130_000, 150_000, "map"))
        report.append(query(10_000, 90_000, "before"))
        report.append(query(10_000, 99_000, "to the hour"))
        report.append(query(200_000, 210_000, "after"))
        let rows = report.rows
        #expect(rows.map(\.subject.app) == ["map", "removed", "to the hour"])
        #expect(rows.first?.first == 120_000 && rows.first?.last == 150_000)
        #expect(
            String(decoding: rows[0].json, as: UTF8.self)
                == #"{"identifier":"identifierForVendor","app":"map","uid":4294967290,"vendor":"org.example","#
                + #""isPersonal":false,"first":120000.0,"last":150000.0}"#)
    }

    @Test func `the advertising identifier has the last decision about tracking`() {
        func decision(_ status: String, _ app: String) -> JournalEntry {
            JournalEntry(
                sequence: 1, time: 1, monotonic: 0, boot: "", kind: "trackingAuthorizationChanged", app: app,
                user: 4_294_967_290, details: ["status": .string(status), "by": "operator 0"])
        }
        var report = IdentifierReport(since: 100_000, until: 200_000, user: nil)
        report.append(
            ManageInterface.IdentifierQuery(
                app: "map", uid: 4_294_967_290, kind: .advertisingIdentifier, isPersonal: false, first: 130_000,
                last: 150_000))
        report.append(query(130_000, 150_000, "map"))
        report.appendDecision(decision("authorized", "map"))
        report.appendDecision(decision("denied", "map"))
        report.appendDecision(decision("authorized", "compass"))
        #expect(report.rows.map(\.decision?.status) == ["denied", nil])
        #expect(
            String(decoding: report.rows[0].json, as: UTF8.self)
                == #"{"identifier":"advertisingIdentifier","app":"map","uid":4294967290,"isPersonal":false,"#
                + #""first":130000.0,"last":150000.0,"tracking":"denied","decidedBy":"operator 0"}"#)
        let lines = IdentifierReportText(rows: report.rows, terminal: Terminal(isTerminal: false)).lines
        #expect(lines[1].contains("advertising") && lines[1].contains("denied, by operator root"), "\(lines)")
    }

    @Test func `only the apps of a user are reported`() {
        var report = IdentifierReport(since: 0, until: nil, user: 7)
        report.append(event(1, "map"))
        report.append(event(1, "compass", user: 7))
        #expect(report.rows.map(\.subject.app) == ["compass"])
        let lines = IdentifierReportText(rows: report.rows, terminal: Terminal(isTerminal: false)).lines
        #expect(lines.count == 2 && lines[0].hasPrefix("IDENTIFIER") && lines[1].contains("org.example"))
        #expect(IdentifierReportText(rows: [], terminal: Terminal(isTerminal: false)).lines == [])
    }
}
