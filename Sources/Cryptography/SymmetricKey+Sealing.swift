import CSodium
import Platform

// Authenticated encryption, crypto_aead_xchacha20poly1305_ietf_encrypt(3). A nonce of 24 random bytes may be chosen for
// every message, so that no count of messages has to survive a crash. The context is not stored in the sealed message:
// who opens it has to know it.

extension SymmetricKey {
    /// Appends a sealed message to a buffer: 24 bytes of nonce, the encrypted message, 16 bytes of tag.
    public func seal(_ message: Span<UInt8>, context: Span<UInt8>, appendingTo buffer: inout [UInt8]) {
        let start = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: message.count + Self.overhead))
        buffer.withUnsafeMutableBufferPointer { buffer in
            guard let nonce = buffer.baseAddress.map({ $0 + start }) else { return }
            randombytes_buf(nonce, Self.nonceSize)
            withPointer { key in
                message.withUnsafeBufferPointer { message in
                    context.withUnsafeBufferPointer { context in
                        // Cannot fail: a message of this process is far shorter than the limit of 256 GiB.
                        _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
                            nonce + Self.nonceSize, nil, message.baseAddress, UInt64(message.count),
                            context.baseAddress, UInt64(context.count), nil, nonce, key)
                    }
                }
            }
        }
    }

    /// A sealed message.
    public func seal(_ message: [UInt8], context: [UInt8]) -> [UInt8] {
        var sealed: [UInt8] = []
        seal(message.span, context: context.span, appendingTo: &sealed)
        return sealed
    }

    /// The message in a sealed one; nil if the key or the context is another, or a byte was changed.
    public func open(_ sealed: Span<UInt8>, context: Span<UInt8>) -> [UInt8]? {
        guard sealed.count >= Self.overhead else { return nil }
        let count = sealed.count - Self.overhead
        var isGenuine = false
        let message = [UInt8](unsafeUninitializedCapacity: count) { room, initialized in
            isGenuine = open(sealed, context: context, into: room.baseAddress)
            initialized = isGenuine ? count : 0
        }
        return isGenuine ? message : nil
    }

    /// The message in a sealed one.
    public func open(_ sealed: [UInt8], context: [UInt8]) -> [UInt8]? { open(sealed.span, context: context.span) }

    /// Another key, sealed by this one.
    public func wrap(_ other: SymmetricKey, context: [UInt8]) -> [UInt8] {
        var sealed: [UInt8] = []
        other.withPointer { bytes in
            let message = UnsafeBufferPointer(start: bytes, count: Self.size)
            seal(Span(_unsafeElements: message), context: context.span, appendingTo: &sealed)
        }
        return sealed
    }

    /// The key that `wrap` has sealed; nil if the key or the context is another, or a byte was changed. The bytes go from
    /// the sealed message directly into locked memory.
    public func unwrap(_ sealed: [UInt8], context: [UInt8]) throws(SystemError) -> SymmetricKey? {
        guard sealed.count == Self.size + Self.overhead else { return nil }
        return try SymmetricKey { room in open(sealed.span, context: context.span, into: room) }
    }

    private func open(_ sealed: Span<UInt8>, context: Span<UInt8>, into room: UnsafeMutablePointer<UInt8>?) -> Bool {
        withPointer { key in
            sealed.withUnsafeBufferPointer { sealed in
                context.withUnsafeBufferPointer { context in
                    guard let nonce = sealed.baseAddress else { return false }
                    return crypto_aead_xchacha20poly1305_ietf_decrypt(
                        room, nil, nil, nonce + Self.nonceSize, UInt64(sealed.count - Self.nonceSize),
                        context.baseAddress, UInt64(context.count), nonce, key) == 0
                }
            }
        }
    }
}
