/// Storage of bytes, which are available as long as this object exists.
public protocol StoredBytes: AnyObject, Sendable {
    /// Reads bytes at an offset from the first stored byte; nil if they cannot be read.
    func bytes(at offset: Int, count: Int) -> [UInt8]?
}

/// The location of a text's packed bytes, with the facts that are needed without reading them.
public struct StoredText: Equatable, Sendable {
    private let storage: any StoredBytes
    private let offset: Int
    private let count: Int
    private let digest: Digest
    /// Whether the text is blank.
    let isEmpty: Bool

    /// Two of the standard library's hashes. These are seeded at random in each process, so a manifest's author cannot
    /// construct two texts with the same digest.
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

    /// The text whose packed bytes are stored at this offset.
    public init(_ text: LocalizedText, packed bytes: [UInt8], in storage: any StoredBytes, at offset: Int) {
        self.storage = storage
        self.offset = offset
        count = bytes.count
        digest = Digest(bytes)
        isEmpty = text.isEmpty
    }

    /// The text and its translations; nil if they cannot be read, or differ from what was stored.
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

    /// Whether two texts are equal, wherever they are stored.
    public static func == (one: StoredText, other: StoredText) -> Bool {
        one.count == other.count && one.digest == other.digest
    }
}
