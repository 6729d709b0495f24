import Containers
import Location
import Records

// Names as columns, and columns as names. A name that does not follow its rule was not written by the engine: the file is
// damaged.

extension Container {
    /// The container as one column: environment, slash, name.
    package var column: StoredValue { .text("\(environment.rawValue)/\(name.text)") }

    init(column text: String) throws(TableError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let environment = ContainerEnvironment(rawValue: String(parts[0])) else {
            throw .damage("read a container", "a column has no container's name")
        }
        self.init(try ContainerName(column: String(parts[1])), environment)
    }
}

extension Name {
    /// The name as a column.
    package var column: StoredValue { .text(text) }

    init(column text: String) throws(TableError) {
        guard let name = Self(text) else { throw .damage("read a name", "a column has no valid name") }
        self = name
    }
}

extension SubscriptionName {
    init(pushColumn text: String) throws(TableError) {
        self = text == SubscriptionName.alerts.text ? .alerts : try SubscriptionName(column: text)
    }
}

extension ZoneName {
    init(zoneColumn text: String) throws(TableError) {
        self = text == ZoneName.defaultZone.text ? .defaultZone : try ZoneName(column: text)
    }
}

extension DatabaseID {
    /// The number of the scope: 0 the public database, 1 a private one, 2 a shared one; and its account, empty for the
    /// public one.
    var scopeColumns: [StoredValue] {
        switch scope {
        case .everybody: [.integer(0), .text("")]
        case .privately(let account): [.integer(1), account.column]
        case .shared(let account): [.integer(2), account.column]
        }
    }

    /// The columns of the key.
    package var columns: [StoredValue] { [container.column] + scopeColumns }

    init(_ container: Container, kind: Int64, account: String) throws(TableError) {
        switch kind {
        case 0: self.init(container, .everybody)
        case 1: self.init(container, .privately(try AccountID(column: account)))
        case 2: self.init(container, .shared(try AccountID(column: account)))
        default: throw .damage("read a database", "a column has no known kind of database")
        }
    }
}

extension ZoneID {
    /// The columns of the zone within a container: its owner, empty for the public database, and its name.
    package var nameColumns: [StoredValue] { [.text(owner?.text ?? ""), name.column] }

    /// The columns of the key.
    package var columns: [StoredValue] { [container.column] + nameColumns }

    init(_ container: Container, owner: String, name: String) throws(TableError) {
        self.init(
            container, owner: owner.isEmpty ? nil : try AccountID(column: owner), try ZoneName(zoneColumn: name))
    }
}

extension AccountDevice {
    /// The columns of the key.
    package var columns: [StoredValue] { [account.column, device.column] }

    init(_ row: StoredRow) throws(TableError) {
        self.init(try AccountID(column: row.text(0)), try DeviceID(column: row.text(1)))
    }
}

extension PushTarget {
    /// The columns of the key.
    package var columns: [StoredValue] { [container.column, account.column, device.column] }
}

extension AnswerRow.Key {
    /// The columns of the key.
    package var columns: [StoredValue] { target.columns + [key.column] }
}
