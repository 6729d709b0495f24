import Location
import Records

/// The devices of accounts, and invitations.
extension MemoryTransaction {
    func device(withToken digest: [UInt8]) throws(EngineFailure) -> DeviceRow? {
        engine.tables.accountDevices.values.first { $0.token == digest }
    }

    func devices(of account: AccountID) throws(EngineFailure) -> [DeviceRow] {
        engine.tables.accountDevices.values.filter { $0.id.account == account }
    }

    func allDevices(after last: AccountDevice?, limit: Int) throws(EngineFailure) -> [DeviceRow] {
        let rows = engine.tables.accountDevices.values.filter { row in last.map { $0 < row.id } ?? true }
        return Array(rows.sorted { $0.id < $1.id }.prefix(limit))
    }

    func put(_ row: DeviceRow) throws(EngineFailure) { engine.change(\.accountDevices, row.id, row) }

    func remove(_ device: AccountDevice) throws(EngineFailure) { engine.change(\.accountDevices, device, nil) }

    func containers(of device: AccountDevice) throws(EngineFailure) -> [Container] {
        engine.tables.devices.filter { AccountDevice($0.account, $0.device) == device }.map(\.container)
    }

    func invitation(withCode digest: [UInt8]) throws(EngineFailure) -> InvitationRow? {
        engine.tables.invitations.values.first { $0.code == digest }
    }

    func invitations(to account: AccountID) throws(EngineFailure) -> [InvitationRow] {
        engine.tables.invitations.values.filter { $0.id.account == account }
    }

    func allInvitations(after last: AccountDevice?, limit: Int) throws(EngineFailure) -> [InvitationRow] {
        let rows = engine.tables.invitations.values.filter { row in last.map { $0 < row.id } ?? true }
        return Array(rows.sorted { $0.id < $1.id }.prefix(limit))
    }

    func put(_ row: InvitationRow) throws(EngineFailure) { engine.change(\.invitations, row.id, row) }

    func removeInvitation(of device: AccountDevice) throws(EngineFailure) {
        engine.change(\.invitations, device, nil)
    }
}
