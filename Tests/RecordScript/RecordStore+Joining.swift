import Location
import Records

extension RecordStore {
    /// Makes a device one of its account, unless it is one or is removed meanwhile, so that it can be registered. Its code and its token are its name.
    public func join(_ caller: Caller) throws {
        guard case .device(let device, let account) = caller else { return }
        let id = AccountDevice(account, device)
        let secret = Array("\(account)/\(device)".utf8)
        let now = UTCTime(microseconds: 1_780_000_000_000_000)
        guard case .success = try invite(id, code: secret, for: 900, at: now) else { return }
        _ = try join(code: secret, token: secret, at: now)
    }
}
