import Location
import Records

/// The devices of accounts, and invitations.
extension TestTransaction {
    mutating func device(withToken digest: [UInt8]) throws(EngineFailure) -> DeviceRow? {
        try engine.call("read a device")
        return try inner.device(withToken: digest)
    }

    mutating func devices(of account: AccountID) throws(EngineFailure) -> [DeviceRow] {
        try engine.call("read the devices of an account")
        return try inner.devices(of: account)
    }

    mutating func allDevices(after last: AccountDevice?, limit: Int) throws(EngineFailure) -> [DeviceRow] {
        try engine.call("read all devices")
        return try inner.allDevices(after: last, limit: limit)
    }

    mutating func put(_ row: DeviceRow) throws(EngineFailure) {
        try write("store a device of an account", under: .account(row.id.account))
        try inner.put(row)
    }

    mutating func remove(_ device: AccountDevice) throws(EngineFailure) {
        try write("remove a device of an account", under: .account(device.account))
        try inner.remove(device)
    }

    mutating func containers(of device: AccountDevice) throws(EngineFailure) -> [Container] {
        try engine.call("read the containers of a device")
        return try inner.containers(of: device)
    }

    mutating func invitation(withCode digest: [UInt8]) throws(EngineFailure) -> InvitationRow? {
        try engine.call("read an invitation")
        return try inner.invitation(withCode: digest)
    }

    mutating func invitations(to account: AccountID) throws(EngineFailure) -> [InvitationRow] {
        try engine.call("read invitations")
        return try inner.invitations(to: account)
    }

    mutating func allInvitations(after last: AccountDevice?, limit: Int) throws(EngineFailure) -> [InvitationRow] {
        try engine.call("read all invitations")
        return try inner.allInvitations(after: last, limit: limit)
    }

    mutating func put(_ row: InvitationRow) throws(EngineFailure) {
        try write("store an invitation", under: .account(row.id.account))
        try inner.put(row)
    }

    mutating func removeInvitation(of device: AccountDevice) throws(EngineFailure) {
        try write("remove an invitation", under: .account(device.account))
        try inner.removeInvitation(of: device)
    }
}
