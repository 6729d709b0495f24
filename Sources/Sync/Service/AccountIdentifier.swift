import Cryptography
import Location
import Platform
import Records

/// The identifier of an account for the apps of one container: the same on all machines of the account. From the identifier of one
/// container nobody can compute that of another one without the account's key, which no app receives.
enum AccountIdentifier {
    /// 122 bits of BLAKE2b of the container's name, with the account's key. Nil for a key that has not 32 bytes.
    static func make(of container: ContainerName, key: [UInt8]) throws(SystemError) -> UniqueID? {
        guard let key = try SymmetricKey(copying: key) else { return nil }
        let code = key.code(for: "waymark acct id ", of: Array(container.text.utf8))
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return UniqueID.computed(high: number(code[..<8]), low: number(code[8..<16]))
    }
}
