import Records

extension TableTransaction {
    /// The device that has the token with this digest; nil if there is none.
    public func device(withToken digest: [UInt8]) throws(EngineFailure) -> DeviceRow? {
        if let known = cache?.devices[digest] { return known }
        return try first(.readDeviceOfToken, [.blob(digest)]) { (row) throws(TableError) in
            try DeviceRow(row)
        }
    }

    /// The devices of an account, in any order.
    public func devices(of account: AccountID) throws(EngineFailure) -> [DeviceRow] {
        try all(.readAccountDevices, [account.column]) { (row) throws(TableError) in
            try DeviceRow(row)
        }
    }

    /// The devices of all accounts after one, which need not exist, in the order of accounts and devices.
    public func allDevices(after last: AccountDevice?, limit: Int) throws(EngineFailure) -> [DeviceRow] {
        try all(.readAllDevices, last.columns(limit: limit)) { (row) throws(TableError) in
            try DeviceRow(row)
        }
    }

    /// Stores a device, instead of the one with its account and name.
    public func put(_ row: DeviceRow) throws(EngineFailure) {
        try run(
            .storeAccountDevice,
            row.id.columns + [.blob(row.token), .integer(row.joined.microseconds)])
        cache?.forgetDevices(of: row.id.account)
    }

    /// Removes a device.
    public func remove(_ device: AccountDevice) throws(EngineFailure) {
        try run(.removeAccountDevice, device.columns)
        cache?.forgetDevices(of: device.account)
        notify(device)
    }

    /// The containers of which a device gets pushes, in any order.
    public func containers(of device: AccountDevice) throws(EngineFailure) -> [Container] {
        try all(.readContainers, device.columns) { (row) throws(TableError) in
            try Container(column: row.text(0))
        }
    }

    /// The invitation whose code has this digest; nil if there is none.
    public func invitation(withCode digest: [UInt8]) throws(EngineFailure) -> InvitationRow? {
        try first(.readInvitationOfCode, [.blob(digest)]) { (row) throws(TableError) in
            try InvitationRow(row)
        }
    }

    /// The invitations to an account, in any order.
    public func invitations(to account: AccountID) throws(EngineFailure) -> [InvitationRow] {
        try all(.readInvitations, [account.column]) { (row) throws(TableError) in
            try InvitationRow(row)
        }
    }

    /// The invitations to all accounts after one, which need not exist, in the order of accounts and devices.
    public func allInvitations(after last: AccountDevice?, limit: Int) throws(EngineFailure) -> [InvitationRow] {
        try all(.readAllInvitations, last.columns(limit: limit)) { (row) throws(TableError) in
            try InvitationRow(row)
        }
    }

    /// Stores an invitation, instead of the one for its account and device.
    public func put(_ row: InvitationRow) throws(EngineFailure) {
        try run(
            .storeInvitation,
            row.id.columns + [.blob(row.code), .integer(row.expires.microseconds)])
    }

    /// Removes an invitation.
    public func removeInvitation(of device: AccountDevice) throws(EngineFailure) {
        try run(.removeInvitation, device.columns)
    }
}

extension AccountDevice? {
    /// The columns of the place after which a list of all begins, and the most rows.
    fileprivate func columns(limit: Int) -> [StoredValue] {
        (self?.columns ?? [.text(""), .text("")]) + [.integer(Int64(limit))]
    }
}
