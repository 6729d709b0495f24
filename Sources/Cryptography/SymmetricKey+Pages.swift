import CSodium

// Authenticated encryption of pages: blocks of one size, whose last bytes are left free for what sealing adds.

extension SymmetricKey {
    /// Seals a page into another buffer of the same size. The last `overhead` bytes of the page are not read: there is the
    /// tag afterwards, and then the nonce, 24 random bytes.
    public func seal(page: UnsafeRawBufferPointer, context: Span<UInt8>, into room: UnsafeMutableRawBufferPointer) {
        precondition(page.count == room.count && page.count > Self.overhead)
        let length = page.count - Self.overhead
        let output = room.bindMemory(to: UInt8.self)
        guard let start = output.baseAddress, let message = page.bindMemory(to: UInt8.self).baseAddress else { return }
        let nonce = start + (page.count - Self.nonceSize)
        randombytes_buf(nonce, Self.nonceSize)
        withPointer { key in
            context.withUnsafeBufferPointer { context in
                // Cannot fail: a page is far shorter than the limit of 256 GiB.
                _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
                    start, nil, message, UInt64(length), context.baseAddress, UInt64(context.count), nil, nonce, key)
            }
        }
    }

    /// Opens a page that `seal` has made into another buffer of the same size, whose last `overhead` bytes are zero then.
    /// Returns false, with a buffer of zeros, if the key or the context is another, or a byte was changed.
    public func open(
        page: UnsafeRawBufferPointer, context: Span<UInt8>, into room: UnsafeMutableRawBufferPointer
    ) -> Bool {
        precondition(page.count == room.count && page.count > Self.overhead)
        guard let sealed = page.bindMemory(to: UInt8.self).baseAddress,
            let output = room.bindMemory(to: UInt8.self).baseAddress
        else { return false }
        let nonce = sealed + (page.count - Self.nonceSize)
        let isGenuine = withPointer { key in
            context.withUnsafeBufferPointer { context in
                crypto_aead_xchacha20poly1305_ietf_decrypt(
                    output, nil, nil, sealed, UInt64(page.count - Self.nonceSize), context.baseAddress,
                    UInt64(context.count), nonce, key) == 0
            }
        }
        let end = isGenuine ? page.count - Self.overhead : 0
        UnsafeMutableRawBufferPointer(rebasing: room[end...]).initializeMemory(as: UInt8.self, repeating: 0)
        return isGenuine
    }
}
