import CommandLineKit
import Interfaces
import JSONText
import Location
import Varlink

/// The recipients of positions by day, from the journal's events.
struct PositionReport {
    /// The beginning of the report, in seconds since 1970.
    let since: Double
    /// The end of the report.
    let until: Double?
    /// The user whose apps are reported.
    let user: Int64?

    /// Events with a decision for an app.
    static let decisionKinds: [JournalInterface.EventKind] = [.authorizationChanged, .authorizationReset]
    /// The longest delay of an event after its positions: an hour, and some time for a daemon that was starting.
    static let longestDelay = 7_200.0

    /// The recipient.
    struct Subject: Hashable {
        /// Nil for an operator whose program is no app.
        var app: String?
        var user: Int64?
        var isOperator: Bool
    }

    /// The decision for an app, and its time.
    struct Decision: Equatable {
        var time: Double
        /// The stored decision, such as `whenInUse`.
        var permission: String
        /// `person 1000`, `operator 0` or `rule`.
        var by: String
    }

    /// The positions that a recipient got on a day.
    struct Row: Equatable {
        /// `2026-06-01`, of this machine's time zone.
        var day: String
        var subject: Subject
        var seen: SeenPositions
        /// The last decision in force on that day; nil for an operator, and for a day before the journal begins.
        var decision: Decision?
    }

    private var decisions: [Subject: [Decision]] = [:]
    private var days: [String: [Subject: SeenPositions]] = [:]
    /// The end of each day, as far as the events reach: the end of the last hour.
    private var ends: [String: Double] = [:]

    init(since: Double, until: Double?, user: Int64?) {
        self.since = since
        self.until = until
        self.user = user
    }

    /// Records a decision.
    mutating func appendDecision(_ event: JournalEntry) {
        guard let app = event.app, Self.decisionKinds.contains(event.kind) else { return }
        let details = event.details
        // Temporary full accuracy is not a stored decision.
        let permission = event.kind == .authorizationReset ? "notDetermined" : details["status"]?.stringValue
        guard let permission else { return }
        let subject = Subject(app: app, user: event.user, isOperator: false)
        decisions[subject, default: []].append(
            Decision(time: event.time, permission: permission, by: details["by"]?.stringValue ?? ""))
    }

    /// Records positions.
    mutating func append(_ event: JournalEntry) {
        guard let seen = SeenPositions(event), seen.total > 0, user.map({ $0 == event.user }) ?? true,
            seen.since + 3_600 > since, until.map({ seen.since < $0 }) ?? true,
            let day = ZonedTime(seen.since, in: .local)?.date
        else { return }
        let subject = Subject(app: event.app, user: event.user, isOperator: seen.isOperator)
        days[day, default: [:]][subject, default: SeenPositions(since: seen.since)].add(seen)
        ends[day] = max(ends[day] ?? 0, seen.since + 3_600)
    }

    /// By day, then by app and user; operators last.
    var rows: [Row] {
        days.sorted { $0.key < $1.key }.flatMap { day, subjects in
            subjects.sorted { Self.order($0.key) < Self.order($1.key) }.map { subject, seen in
                let end = ends[day] ?? seen.since
                let decision =
                    subject.isOperator ? nil : decisions[subject]?.last { $0.time <= end }
                return Row(day: day, subject: subject, seen: seen, decision: decision)
            }
        }
    }

    private static func order(_ subject: Subject) -> (Int, String, Int64) {
        (subject.isOperator ? 1 : 0, subject.app ?? "", subject.user ?? -1)
    }
}

extension PositionReport.Row {
    /// The object for programs.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("day", day)
            writer.member("app", subject.app)
            writer.member("uid", subject.user)
            writer.member("isOperator", subject.isOperator)
            writer.member("seen", seen.total)
            writer.member("full", seen.full)
            writer.member("reduced", seen.reduced)
            writer.member("inUse", seen.fullInUse + seen.reducedInUse)
            writer.member("inBackground", seen.inBackground)
            if let decision {
                writer.member("permission", decision.permission)
                writer.member("decidedBy", decision.by)
                writer.member("decidedAt", decision.time)
            }
        }
        return writer.bytes
    }
}

/// A report for a person.
struct PositionReportText {
    let rows: [PositionReport.Row]
    let terminal: Terminal

    /// A table with each date once; empty without a recipient.
    var lines: [String] {
        if rows.isEmpty { return [] }
        var table = Table([
            .init("DAY"), .init("APP"), .init("USER"), .init("SEEN", isNumeric: true),
            .init("REDUCED", isNumeric: true), .init("BACKGROUND", isNumeric: true), .init("DECISION"),
        ])
        var day = ""
        for row in rows {
            let users = row.subject.user.map { UserName.text($0) } ?? "-"
            table.add([
                Table.Cell(row.day == day ? "" : row.day, .bold), Table.Cell(row.subject.app ?? "-"),
                Table.Cell(users), number(row.seen.total), number(row.seen.reduced),
                number(row.seen.inBackground, .yellow), Table.Cell(decision(row)),
            ])
            day = row.day
        }
        return table.lines(for: terminal)
    }

    private func number(_ count: Int, _ style: Terminal.Style? = nil) -> Table.Cell {
        count == 0 ? Table.Cell("-") : Table.Cell(Measure.grouped(count), style)
    }

    private func decision(_ row: PositionReport.Row) -> String {
        if row.subject.isOperator { return "none needed: an operator" }
        guard let decision = row.decision else { return "before the journal begins" }
        let permission = Permission(rawValue: decision.permission).map(AppText.words) ?? decision.permission
        return "\(permission), by \(DeciderText.words(decision.by))"
    }
}

/// The author of a decision, in words, from the journal's `person 1000`, `operator 0` or `rule`.
enum DeciderText {
    static func words(_ by: String) -> String {
        let parts = by.split(separator: " ", maxSplits: 1).map(String.init)
        let user = parts.count > 1 ? Int64(parts[1]).map { UserName.text($0) } ?? parts[1] : nil
        switch (parts.first, user) {
        case ("person", let user?): return user
        case ("operator", let user?): return "operator \(user)"
        case ("rule", nil): return "a rule"
        default: return by.isEmpty ? "somebody" : by
        }
    }
}
