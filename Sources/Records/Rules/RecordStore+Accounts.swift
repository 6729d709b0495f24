import Location

/// The refusal of a request about devices and accounts.
public enum AccountRefusal: Error, Equatable, Sendable {
    /// The account has a device of this name already.
    case deviceExists
    /// The account has no such device, nor an invitation for it.
    case unknownDevice
    /// The account has as many devices and invitations as a limit permits.
    case tooMany(Int)
    /// The code is that of no invitation, has expired or was used.
    case unknownCode
}

extension RecordStore {
    /// Invites a device to an account, which begins to exist with its first device. An earlier invitation of the same device
    /// ends.
    /// - Parameters:
    ///   - code: A secret that only the invited device gets.
    ///   - seconds: How long the code is accepted.
    public func invite(
        _ device: AccountDevice, code: [UInt8], for seconds: Double, at now: UTCTime
    ) throws(EngineFailure) -> Result<InvitationRow, AccountRefusal> {
        let row = InvitationRow(device, code: codeDigest(code), expires: now.advanced(bySeconds: seconds))
        return try engine.write { (transaction) throws(EngineFailure) in
            try transaction.lock(.account(device.account))
            let devices = try transaction.devices(of: device.account)
            guard !devices.contains(where: { $0.id == device }) else { return .failure(.deviceExists) }
            let others = try transaction.invitations(to: device.account).filter { $0.id != device }
            // Invitations that have expired do not count, and are removed here.
            for old in others where old.expires <= now { try transaction.removeInvitation(of: old.id) }
            guard devices.count + others.count(where: { $0.expires > now }) < rules.limits.devices else {
                return .failure(.tooMany(rules.limits.devices))
            }
            try transaction.put(row)
            return .success(row)
        }
    }

    /// Makes the invited device one of the account. A code is accepted once.
    /// - Parameter token: A secret with which the device identifies itself from now on.
    public func join(
        code: [UInt8], token: [UInt8], at now: UTCTime
    ) throws(EngineFailure) -> Result<DeviceRow, AccountRefusal> {
        let digest = codeDigest(code)
        let found = try engine.read { (transaction) throws(EngineFailure) in
            try transaction.invitation(withCode: digest)
        }
        guard let found, found.expires > now else { return .failure(.unknownCode) }
        return try engine.write { (transaction) throws(EngineFailure) in
            try transaction.lock(.account(found.id.account))
            // Another device may have used the code since it was found, or the invitation was withdrawn.
            guard try transaction.invitation(withCode: digest) == found else { return .failure(.unknownCode) }
            let device = DeviceRow(found.id, token: tokenDigest(token), joined: now)
            try transaction.removeInvitation(of: found.id)
            try transaction.put(device)
            return .success(device)
        }
    }

    /// The caller that has a token; nil for a token of nobody.
    public func caller(token: [UInt8]) throws(EngineFailure) -> Caller? {
        let digest = tokenDigest(token)
        let row = try engine.lookUp { (transaction) throws(EngineFailure) in try transaction.device(withToken: digest) }
        return row.map { .device($0.id.device, of: $0.id.account) }
    }

    /// A page of the devices of all accounts, after one, in the order of accounts and devices.
    public func devices(after last: AccountDevice? = nil, limit: Int) throws(EngineFailure) -> [DeviceRow] {
        try engine.read { (transaction) throws(EngineFailure) in
            try transaction.allDevices(after: last, limit: limit)
        }
    }

    /// A page of the invitations to all accounts, after one, in the order of accounts and devices. Those that have expired
    /// are among them.
    public func invitations(after last: AccountDevice? = nil, limit: Int) throws(EngineFailure) -> [InvitationRow] {
        try engine.read { (transaction) throws(EngineFailure) in
            try transaction.allInvitations(after: last, limit: limit)
        }
    }

    /// Removes a device of an account, or its invitation. From the answer on its token is that of nobody, and nothing is
    /// pushed to it.
    public func remove(_ device: AccountDevice) throws(EngineFailure) -> AccountRefusal? {
        try engine.write { (transaction) throws(EngineFailure) in
            try transaction.lock(.account(device.account))
            let isDevice = try transaction.devices(of: device.account).contains { $0.id == device }
            let isInvited = try transaction.invitations(to: device.account).contains { $0.id == device }
            guard isDevice || isInvited else { return .unknownDevice }
            let containers = try transaction.containers(of: device)
            // Excludes changes that are pushed to the account meanwhile.
            for database in containers.flatMap({ $0.databases(of: device.account) }).sorted() {
                try transaction.lock(.database(database))
            }
            for container in containers {
                try transaction.remove(PushTarget(container, device.account, device.device))
            }
            try transaction.remove(device)
            try transaction.removeInvitation(of: device)
            return nil
        }
    }

    // The first words keep one kind of secret from being taken for the other one.
    private func codeDigest(_ code: [UInt8]) -> [UInt8] { signer.digest(of: "invitation ".utf8 + code) }
    func tokenDigest(_ token: [UInt8]) -> [UInt8] { signer.digest(of: "device ".utf8 + token) }
}

extension Container {
    /// The databases of an account in which it gets pushes.
    func databases(of account: AccountID) -> [DatabaseID] {
        [DatabaseID(self, .everybody), DatabaseID(self, .privately(account)), DatabaseID(self, .shared(account))]
    }
}

extension UTCTime {
    /// The time this many seconds later; the last one that can be represented at most.
    fileprivate func advanced(bySeconds seconds: Double) -> UTCTime {
        let change = Int64(exactly: (seconds * 1_000_000).rounded()) ?? .max
        let (sum, isTooLarge) = microseconds.addingReportingOverflow(change)
        return UTCTime(microseconds: isTooLarge ? .max : sum)
    }
}
