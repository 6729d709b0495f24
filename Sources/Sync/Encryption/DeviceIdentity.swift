import Cryptography
import Records

/// This machine among those of its account.
struct DeviceIdentity: Sendable {
    let id: AccountDevice
    let pair: SealingKeyPair

    init(_ id: AccountDevice, _ pair: SealingKeyPair) {
        self.id = id
        self.pair = pair
    }

    var member: KeyGeneration.Member { KeyGeneration.Member(id.device, pair.publicKey) }
}
