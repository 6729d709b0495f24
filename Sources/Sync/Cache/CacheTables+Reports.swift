import Records
import Storage

/// A container with changes from the hub that the daemon has to learn of, so that it wakes apps.
struct OwedReport: Equatable, Sendable {
    /// The number of the container in the copy.
    let id: Int64
    let container: Container
    /// The latest change from the hub. Later ones are another report.
    let revision: Int64
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
        try statements.all(.readOwedReports) { (row) throws(StorageError) in
            guard let environment = Container.Environment(rawValue: row.text(1)),
                let name = ContainerName(row.text(2))
            else { throw Self.damaged("a container") }
            return OwedReport(id: row.integer(0), container: Container(name, environment), revision: row.integer(3))
        }
    }

    /// Notes that the daemon has received a report. A container of an account that was joined meanwhile may have the same number,
    /// and fewer changes: it is left as it is.
    func settle(_ report: OwedReport) throws(StorageError) {
        guard try find(report.container)?.id == report.id else { return }
        try statements.run(.settleReport, [.integer(report.revision), .integer(report.id)])
    }
}
