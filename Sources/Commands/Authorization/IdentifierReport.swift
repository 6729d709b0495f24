import CommandLineKit
import Interfaces
import JSONText
import Location
import SyncInterface
import Varlink

/// The apps that have queried an identifier: from the daemon's list of the identifiers that exist now, and from the journal's
/// events of first queries, which also has those of removed apps and of identifiers before a reset.
struct IdentifierReport {
    /// The beginning of the report, in seconds since 1970.
    let since: Double
    /// The end of the report.
    let until: Double?
    /// The user whose apps are reported.
    let user: Int64?

    /// The kind of the advertising identifier.
    static let advertising = ManageInterface.IdentifierKind.advertisingIdentifier.rawValue

    /// The kind of the identifier of an account, which waymark-sync gives.
    static let account = "accountIdentifier"

    /// The accuracy of the time of the last query.
    static let resolution = 3_600.0

    /// An app and an identifier.
    struct Subject: Hashable {
        var app: String
        var user: Int64?
        var kind: String
        var vendor: String?
        var isPersonal: Bool
        /// Of the identifier of an account: the container.
        var container: String?
    }

    /// The queries of an app for an identifier.
    struct Row: Equatable {
        var subject: Subject
        var first: Double
        var last: Double
        /// Of the advertising identifier: the last decision about tracking, and its author; nil if none is recorded.
        var decision: Decision?
    }

    /// A decision about tracking.
    struct Decision: Equatable {
        var status: String
        var by: String?
    }

    private struct User: Hashable {
        var app: String
        var user: Int64?
    }

    private var decisions: [User: Decision] = [:]
    private var uses: [Subject: (first: Double, last: Double)] = [:]

    init(since: Double, until: Double?, user: Int64?) {
        self.since = since
        self.until = until
        self.user = user
    }

    /// Adds the first query of an app for an identifier.
    mutating func append(_ event: JournalEntry) {
        guard event.kind == .identifierDisclosed, let app = event.app, let kind = event.details["kind"]?.stringValue
        else { return }
        let subject = Subject(
            app: app, user: event.user, kind: kind, vendor: event.details["vendor"]?.stringValue,
            isPersonal: event.details["isPersonal"]?.boolValue ?? false)
        add(subject, event.time, event.time)
    }

    /// Adds a decision about tracking; later ones replace earlier ones.
    mutating func appendDecision(_ event: JournalEntry) {
        guard event.kind == .trackingAuthorizationChanged, let app = event.app,
            let status = event.details["status"]?.stringValue
        else { return }
        decisions[User(app: app, user: event.user)] = Decision(status: status, by: event.details["by"]?.stringValue)
    }

    /// Adds an entry of the daemon's list.
    mutating func append(_ query: ManageInterface.IdentifierQuery) {
        let subject = Subject(
            app: query.app, user: Int64(query.uid), kind: query.kind.rawValue, vendor: query.vendor,
            isPersonal: query.isPersonal)
        add(subject, query.first, query.last)
    }

    /// Adds an entry of waymark-sync's list, for the user as whom it runs.
    mutating func append(_ reader: SyncInterface.IdentifierReader, user: Int64) {
        let subject = Subject(
            app: reader.app, user: user, kind: Self.account, vendor: nil, isPersonal: false,
            container: reader.container)
        add(subject, Double(reader.first) / 1e6, Double(reader.last) / 1e6)
    }

    private mutating func add(_ subject: Subject, _ first: Double, _ last: Double) {
        guard user == nil || subject.user == user else { return }
        let known = uses[subject] ?? (first, last)
        uses[subject] = (min(known.first, first), max(known.last, last))
    }

    /// Those of the time of the report, by app, user and identifier.
    var rows: [Row] {
        uses.map { Row(subject: $0.key, first: $0.value.first, last: $0.value.last, decision: decision(of: $0.key)) }
            .filter { $0.last + Self.resolution > since && $0.first < until ?? .infinity }
            .sorted { Self.order($0.subject) < Self.order($1.subject) }
    }

    private func decision(of subject: Subject) -> Decision? {
        subject.kind == Self.advertising ? decisions[User(app: subject.app, user: subject.user)] : nil
    }

    private static func order(_ subject: Subject) -> (String, Int64, String, String, Int) {
        (
            subject.app, subject.user ?? -1, subject.kind, subject.vendor ?? subject.container ?? "",
            subject.isPersonal ? 1 : 0
        )
    }
}

extension IdentifierReport.Row {
    /// The object for programs.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("identifier", subject.kind)
            writer.member("app", subject.app)
            writer.member("uid", subject.user)
            writer.member("vendor", subject.vendor)
            writer.member("isPersonal", subject.isPersonal)
            writer.member("container", subject.container)
            writer.member("first", first)
            writer.member("last", last)
            writer.member("tracking", decision?.status)
            writer.member("decidedBy", decision?.by)
        }
        return writer.bytes
    }
}

/// The report about identifiers for a person.
struct IdentifierReportText {
    let rows: [IdentifierReport.Row]
    let terminal: Terminal

    /// A table; empty without an app that has queried an identifier.
    var lines: [String] {
        if rows.isEmpty { return [] }
        var table = Table([
            .init("IDENTIFIER"), .init("APP"), .init("USER"), .init("VENDOR OR CONTAINER"), .init("FIRST"),
            .init("LAST"),
            .init("TRACKING"),
        ])
        for row in rows {
            let subject = row.subject
            let vendor = subject.vendor.map { subject.isPersonal ? "\($0) (the user's own)" : $0 }
            table.add([
                Table.Cell(Self.words(subject.kind)), Table.Cell(subject.app),
                Table.Cell(subject.user.map { UserName.text($0) } ?? "-"),
                Table.Cell(vendor ?? subject.container ?? "-"),
                Table.Cell(Self.time(row.first)), Table.Cell(Self.time(row.last)),
                Table.Cell(row.decision.map(Self.words) ?? "-"),
            ])
        }
        return table.lines(for: terminal)
    }

    private static func words(_ kind: String) -> String {
        if kind == IdentifierReport.account { return "account" }
        switch ManageInterface.IdentifierKind(rawValue: kind) {
        case .identifierForVendor: return "vendor"
        case .advertisingIdentifier: return "advertising"
        default: return kind
        }
    }

    private static func words(_ decision: IdentifierReport.Decision) -> String {
        let status = TrackingAuthorizationStatus(rawValue: decision.status).map(TrackingText.words) ?? decision.status
        return status + (decision.by.map { ", by \(DeciderText.words($0))" } ?? "")
    }

    private static func time(_ seconds: Double) -> String {
        ZonedTime(seconds, in: .local).map { "\($0.date) \($0.timeOfDay.dropLast(3))" } ?? "unknown"
    }
}
