import Containers
import Records
import Storage

/// A container with changes from the hub that the daemon has to learn of, so that it wakes apps.
struct OwedReport: Equatable, Sendable {
    /// The number of the container in the copy.
    let id: Int64
    let container: Container
    /// The latest change from the hub. Later ones are another report.
    let revision: Int64
    /// The subscriptions of apps to queries that have fired, the latest last.
    var fired: [FiredSubscription] = []
}

extension CacheTables {
    /// The number of the next change of a container that comes from the hub, which is reported to the daemon. It is part of the
    /// transaction that makes the change, so that no crash loses the report.
    func nextRevisionFromHub(_ container: Int64) throws(StorageError) -> Int64 {
        let revision = try statements.first(.advanceHubRevision, [.integer(container)]) { row in row.integer(0) }
        guard let revision else { throw Self.damaged("a container") }
        return revision
    }

    /// The reports that the daemon has not received.
    func owedReports() throws(StorageError) -> [OwedReport] {
        var reports = try statements.all(.readOwedReports) { (row) throws(StorageError) in
            guard let environment = ContainerEnvironment(rawValue: row.text(1)),
                let name = ContainerName(row.text(2))
            else { throw Self.damaged("a container") }
            return OwedReport(id: row.integer(0), container: Container(name, environment), revision: row.integer(3))
        }
        // No app uses the keys.
        reports.removeAll { $0.container == KeyZone.container }
        for index in reports.indices {
            let key: [SQLValue] = [.integer(reports[index].id), .integer(reports[index].revision)]
            reports[index].fired = try statements.all(.readFired, key) { (row) throws(StorageError) in
                guard let database = DatabaseScope(rawValue: row.text(0)),
                    let fired = FiredSubscription(database, row.text(1))
                else { throw Self.damaged("a subscription") }
                return fired
            }
        }
        return reports
    }

    /// Notes that a subscription to a query has fired. The daemon learns of it also where the change is in the copy already, or
    /// never is, because it is one of the public database.
    func noteFired(_ name: SubscriptionName, _ database: DatabaseScope, in container: Int64) throws(StorageError) {
        let revision = try nextRevisionFromHub(container)
        try statements.run(
            .storeFired,
            [.integer(container), .text(database.rawValue), .text(name.text), .integer(revision)])
        try statements.run(.trimFired, [.integer(container), .integer(Int64(FiredSubscription.most))])
    }

    /// Notes that the daemon has received a report. A container of an account that was joined meanwhile may have the same number,
    /// and fewer changes: it is left as it is.
    func settle(_ report: OwedReport) throws(StorageError) {
        guard try find(report.container)?.id == report.id else { return }
        try statements.run(.settleReport, [.integer(report.revision), .integer(report.id)])
        try statements.run(.settleFired, [.integer(report.id), .integer(report.revision)])
    }
}
