import Records

@testable import Sync

extension SyncAccount {
    /// An account of a hub that is not asked.
    static func test(
        _ account: AccountID = named("alice"), _ device: DeviceID = named("laptop"), token: String = "t",
        copy: String = "c"
    ) -> SyncAccount {
        SyncAccount(
            hub: "https://localhost", pin: nil, token: token, id: AccountDevice(account, device), copy: copy,
            identifierKey: [UInt8](repeating: 7, count: 32))
    }
}
