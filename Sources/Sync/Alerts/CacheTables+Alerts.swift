import Containers
import Records
import Storage

extension ContainerRow {
    /// A database whose subscriptions with alerts are to be read; nil if none are. Nobody subscribes to the keys of encrypted fields.
    var staleAlertDatabase: DatabaseScope? {
        container == KeyZone.container ? nil : DatabaseScope.allCases.first { staleAlerts & $0.bit != 0 }
    }
}

/// The changes of a page that subscriptions with alerts cover.
struct AlertMatches {
    /// A change that a subscription covers.
    struct Match {
        let name: SubscriptionName
        let alert: SubscriptionAlert
        let isOnce: Bool
        /// The record as it is now, or as it was before its deletion.
        let record: Record
        /// When it was changed, by the hub's clock; nil for a deletion.
        let time: Int64?
    }

    let zone: ZoneRow
    let database: DatabaseScope
    private let own: AccountDevice
    private var subscriptions: [(name: SubscriptionName, subject: QuerySubject)]
    private(set) var matches: [Match] = []

    init(
        _ zone: ZoneRow, _ database: DatabaseScope, _ own: AccountDevice,
        _ subscriptions: [(name: SubscriptionName, subject: QuerySubject)]
    ) {
        self.zone = zone
        self.database = database
        self.own = own
        self.subscriptions = subscriptions
    }

    /// Compares what a record has become with the subscriptions. A change by this machine is none to alert anybody of here: a record says
    /// who has changed it, and of a deletion the changes of this machine are the only trace, which may be on their route, or back from
    /// one whose answer was lost.
    mutating func note(_ old: Record?, _ new: Record?, own changes: [LocalChange]) {
        guard old != new else { return }
        if let new {
            guard AccountDevice(new.modified.account, new.modified.device) != own else { return }
        } else if changes.contains(where: { if case .delete = $0 { true } else { false } }) {
            return
        }
        guard let record = new ?? old else { return }
        for (name, subject) in subscriptions where subject.covers(old, new, in: zone.zone) {
            guard let alert = subject.alert else { continue }
            matches.append(
                Match(
                    name: name, alert: alert, isOnce: subject.isOnce, record: record,
                    time: new?.modified.time.microseconds))
            // The hub has removed it with this change.
            if subject.isOnce { subscriptions.removeAll { $0.name == name } }
        }
    }
}

/// An alert that nobody has been shown yet.
struct PendingAlert: Equatable, Sendable {
    let number: Int64
    let container: Container
    let database: String
    let name: String
    let alert: SubscriptionAlert
    /// The zone and the record of the latest change, with the fields of the alert only; nil for the public database.
    let zone: ZoneID?
    let record: Record?
    let count: Int64
    /// Microseconds since 1970.
    let time: Int64
}

/// Alerts of subscriptions.
extension CacheTables {
    /// The most alerts, of one subscription each. Of more, those remain that changed last.
    private static let mostAlerts: Int64 = 64

    // Subscriptions

    /// Notes that the subscriptions with alerts of a container are to be read.
    func markAlertsStale(_ container: Int64) throws(StorageError) {
        try alertStatements.run(.markAlertsStale, [.integer(container)])
    }

    /// Stores which subscriptions of a database have alerts. One that ends when it fires, and is not listed any more, stays for now: it may
    /// have fired with a change that was not fetched yet.
    /// - Parameter container: The container as it was when the list was requested. After a later mark it is read again.
    func apply(
        _ subscriptions: [Subscription], of database: DatabaseScope, in container: ContainerRow
    ) throws(StorageError) {
        let place: [SQLValue] = [.integer(container.id), .text(database.rawValue)]
        try alertStatements.run(.endAlertSubscriptions, place)
        for subscription in subscriptions {
            guard let alert = subscription.alert else { continue }
            let key = place + [.text(subscription.name.text)]
            try alertStatements.run(
                .storeAlertSubscription, key + [.text(String(decoding: subscription.subject.json, as: UTF8.self))])
            try alertStatements.run(.explainAlert, key + [.text(String(decoding: alert.json, as: UTF8.self))])
        }
        try alertStatements.run(.removeAlertSubscriptions, place)
        try alertStatements.run(
            .markAlertsRead, [.integer(container.id), .integer(database.bit), .integer(container.alertMarks)])
        // An alert without a text may be one of a subscription that was made after the list was requested.
        if statements.database.changes > 0 { try alertStatements.run(.removeUnexplained, place) }
    }

    /// Whether a subscription that ends when it fires is not listed any more, for a reason that the pushes to this machine say.
    func hasEndedAlert(in container: Int64) throws(StorageError) -> Bool {
        try alertStatements.first(.findEndedAlert, [.integer(container)]) { _ in true } ?? false
    }

    /// Applies all pushes that this machine has not acknowledged: an ended subscription that one of them names has fired, and its alert
    /// is stored with the change. The others were removed.
    func endAlerts(after pushes: [Push], in container: ContainerRow) throws(StorageError) {
        for push in pushes where push.target.container == container.container {
            if let name = push.subscription { try noteAlertFired(name, push.database.kind, in: container.id) }
        }
        try alertStatements.run(.removeEndedAlerts, [.integer(container.id)])
    }

    /// Notes that a subscription has fired, which the hub may have removed with that.
    func noteAlertFired(_ name: SubscriptionName, _ database: DatabaseScope, in container: Int64) throws(StorageError) {
        try alertStatements.run(.noteAlertFired, [.integer(container), .text(database.rawValue), .text(name.text)])
    }

    /// The containers in which everything was fetched, and that have subscriptions which have fired with a change that is not there any
    /// more: the record has become something else since.
    func containersWithFiredAlerts() throws(StorageError) -> [Int64] {
        var found: [Int64] = []
        for container in try containers() {
            let hasSome = try alertStatements.first(.findFiredAlert, [.integer(container.id)]) { _ in true } ?? false
            if hasSome, try isFetched(container) { found.append(container.id) }
        }
        return found
    }

    /// Forgets the subscriptions of a container that have fired.
    func forgetFiredAlerts(in container: Int64) throws(StorageError) {
        try alertStatements.run(.removeFiredAlerts, [.integer(container)])
    }

    private func alertSubscriptions(
        of database: DatabaseScope, in container: Int64, _ containerID: Container
    ) throws(StorageError) -> [(name: SubscriptionName, subject: QuerySubject)] {
        try alertStatements.all(
            .readAlertSubscriptions, [.integer(container), .text(database.rawValue)]
        ) { (row) throws(StorageError) in
            let json = Array(row.text(1).utf8)
            let subject = try Self.parsed("a subscription") { () throws(FormatError) in
                try Subscription.Subject(containerID, json: json)
            }
            guard let name = SubscriptionName(row.text(0)), case .query(let query) = subject else {
                throw Self.damaged("a subscription")
            }
            return (name, query)
        }
    }

    // Matches

    /// What compares a page of a zone with the subscriptions that have alerts; nil if there are none, or the page has what was there
    /// before this machine.
    func alertMatches(in zone: ZoneRow) throws(StorageError) -> AlertMatches? {
        guard zone.token != nil && zone.pass == 0 || zone.isNew, let own = try account()?.id else { return nil }
        let database: DatabaseScope = zone.zone.owner == own.account ? .private : .shared
        let subscriptions = try alertSubscriptions(of: database, in: zone.container, zone.zone.container)
        return subscriptions.isEmpty ? nil : AlertMatches(zone, database, own, subscriptions)
    }

    /// Stores alerts, those of one subscription together.
    func store(_ matches: AlertMatches) throws(StorageError) {
        for match in matches.matches {
            let key: [SQLValue] = [
                .integer(matches.zone.container), .text(matches.database.rawValue), .text(match.name.text),
            ]
            var record = match.record
            record.fields = record.fields.filter { match.alert.arguments.contains($0.key) }
            try alertStatements.run(
                .storeAlert,
                key + [
                    .text(String(decoding: match.alert.json, as: UTF8.self)),
                    .text(matches.zone.zone.owner?.text ?? ""), .text(matches.zone.zone.name.text),
                    .text(String(decoding: record.json, as: UTF8.self)), match.time.map { .integer($0) } ?? .null,
                ])
            if match.isOnce { try alertStatements.run(.removeAlertSubscription, key) }
        }
        if !matches.matches.isEmpty { try alertStatements.run(.trimAlerts, [.integer(Self.mostAlerts)]) }
    }

    /// Stores the alert of a subscription to the public database, whose records the copy does not have. Whether the subscription has
    /// an alert may not be known yet.
    func notePublicAlert(_ name: SubscriptionName, in container: ContainerRow) throws(StorageError) {
        let known = try alertSubscriptions(of: .public, in: container.id, container.container).first {
            $0.name == name
        }
        guard known != nil || container.staleAlerts & DatabaseScope.public.bit != 0 else { return }
        let key: [SQLValue] = [.integer(container.id), .text(DatabaseScope.public.rawValue), .text(name.text)]
        let alert = known?.subject.alert.map { SQLValue.text(String(decoding: $0.json, as: UTF8.self)) }
        try alertStatements.run(.storeAlert, key + [alert ?? .null, .null, .null, .null, .null])
        try alertStatements.run(.trimAlerts, [.integer(Self.mostAlerts)])
        if known?.subject.isOnce == true { try alertStatements.run(.removeAlertSubscription, key) }
    }

    // What is to be shown

    /// Whether there is an alert.
    func hasAlerts() throws(StorageError) -> Bool { try alertStatements.first(.findAlert) { _ in true } ?? false }

    /// Stamps the alerts without a time, and forgets those from before another one, in microseconds since 1970.
    func ageAlerts(at now: Int64, before: Int64) throws(StorageError) {
        try alertStatements.run(.stampAlerts, [.integer(now)])
        try alertStatements.run(.removeOldAlerts, [.integer(before)])
    }

    /// The alerts, the earliest first.
    func pendingAlerts() throws(StorageError) -> [PendingAlert] {
        try alertStatements.all(.readAlerts) { (row) throws(StorageError) in
            guard let environment = ContainerEnvironment(rawValue: row.text(1)),
                let name = ContainerName(row.text(2))
            else { throw Self.damaged("a container") }
            let container = Container(name, environment)
            let json = Array(row.text(5).utf8)
            let alert = try Self.parsed("an alert") { () throws(FormatError) in try SubscriptionAlert(json: json) }
            let zone = row.optionalText(7).flatMap(ZoneName.init(stored:)).map {
                ZoneID(container, owner: row.optionalText(6).flatMap { AccountID($0) }, $0)
            }
            return PendingAlert(
                number: row.integer(0), container: container, database: row.text(3), name: row.text(4), alert: alert,
                zone: zone,
                record: try row.optionalText(8).map { (text) throws(StorageError) in try Self.record(text) },
                count: row.integer(9), time: row.optionalInteger(10) ?? 0)
        }
    }

    /// Notes that so many changes of an alert were shown.
    func acknowledgeAlert(_ number: Int64, _ count: Int64) throws(StorageError) {
        try alertStatements.run(.reduceAlert, [.integer(number), .integer(count)])
        try alertStatements.run(.removeShownAlert, [.integer(number)])
    }

    /// Removes an alert that is not to be shown.
    func removeAlert(_ number: Int64) throws(StorageError) {
        try alertStatements.run(.removeAlert, [.integer(number)])
    }

    // Settings

    /// The apps whose alerts the person does not want.
    func mutedApps() throws(StorageError) -> Set<String> {
        Set(try alertStatements.all(.readMuted) { row in row.text(0) })
    }

    /// Stores whether the person wants the alerts of an app.
    func mute(_ app: String, _ isMuted: Bool) throws(StorageError) {
        try alertStatements.run(isMuted ? .storeMuted : .removeMuted, [.text(app)])
    }
}
