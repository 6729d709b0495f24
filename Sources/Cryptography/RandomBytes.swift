import CSodium

/// Random numbers of the system, randombytes_buf(3).
public enum RandomBytes {
    /// So many random bytes. Ends the program if the system has none, as libsodium does.
    public static func make(_ count: Int) -> [UInt8] {
        precondition(SymmetricKey.isReady, "the system provides no random numbers")
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            guard let start = bytes.baseAddress else { return }
            randombytes_buf(start, count)
            initialized = count
        }
    }
}
