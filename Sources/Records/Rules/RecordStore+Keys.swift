import Location

extension RecordStore {
    /// Removes the record with the public key of a device that is removed next, as if the device did so itself: the other devices of
    /// its account get a push, and make another key for their encrypted fields.
    ///
    /// - Returns: The devices to wake.
    public func removeKey(of device: AccountDevice, at now: UTCTime) throws(EngineFailure) -> [Push] {
        let zone = KeyZone.zone(of: device.account)
        let exists = try engine.read { (transaction) throws(EngineFailure) in try transaction.zone(zone) != nil }
        guard exists, let key = RequestKey("removal-\(now.microseconds)") else { return [] }
        let deletion = ModifyRecords.Deletion(KeyZone.record(of: device.device))
        let reply = try modify(
            ModifyRecords(zone, deletions: [deletion]), by: .device(device.device, of: device.account), key: key,
            at: now)
        return reply.pushes
    }
}
