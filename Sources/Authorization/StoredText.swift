/// Bytes that somebody has stored, and that are there as long as this object is.
public protocol StoredBytes: AnyObject, Sendable {
    /// So many bytes from a place on, counted from the first that was stored; nil where they cannot be read.
    func bytes(at offset: Int, count: Int) -> [UInt8]?
}

/// Where the packed bytes of a text are, and what of it has to be known without reading them.
public struct StoredText: Equatable, Sendable {
    private let storage: any StoredBytes
    private let offset: Int
    private let count: Int
    private let digest: Digest
    /// Whether the text says nothing.
    let isEmpty: Bool

    /// Two of the standard library's hashes, which are seeded at random in each process: nobody outside it can make two
    /// texts that have the same.
    private struct Digest: Equatable, Sendable {
        let first: Int
        let second: Int

        init(_ bytes: [UInt8]) {
            var (one, other) = (Hasher(), Hasher())
            one.combine(0)
            other.combine(1)
            bytes.withUnsafeBytes {
                one.combine(bytes: $0)
                other.combine(bytes: $0)
            }
            (first, second) = (one.finalize(), other.finalize())
        }
    }

    /// The text whose packed bytes are stored at this place.
    public init(_ text: LocalizedText, packed bytes: [UInt8], in storage: any StoredBytes, at offset: Int) {
        self.storage = storage
        self.offset = offset
        count = bytes.count
        digest = Digest(bytes)
        isEmpty = text.isEmpty
    }

    /// The text and its translations; nil where they cannot be read as they were stored.
    var unpacked: (text: String, translations: PackedTranslations)? {
        guard let bytes = storage.bytes(at: offset, count: count), bytes.count >= 4, Digest(bytes) == digest else {
            return nil
        }
        let length = PackedTranslations.length(bytes.prefix(4))
        guard bytes.count >= 4 + length else { return nil }
        return (
            String(decoding: bytes[4..<(4 + length)], as: UTF8.self), PackedTranslations(packed: bytes[(4 + length)...])
        )
    }

    /// Whether two texts are the same, wherever they are stored.
    public static func == (one: StoredText, other: StoredText) -> Bool {
        one.count == other.count && one.digest == other.digest
    }
}
