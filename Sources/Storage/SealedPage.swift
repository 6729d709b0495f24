import Cryptography
import Glibc

/// Seals and opens the pages of a database. The number of a page is authenticated, and whether it is in the database or in its
/// log, so that no page is taken for another.
struct SealedPage {
    /// Where a page is.
    enum Place: UInt8 {
        case database = 0x44
        case log = 0x4C
    }

    /// The size of a page in bytes.
    static let size = 4_096
    /// The bytes at the end of a page that SQLite leaves free: the tag and the nonce.
    static let reserved = SymmetricKey.overhead

    private let key: SymmetricKey
    private let place: Place

    init(_ key: SymmetricKey, _ place: Place) { (self.key, self.place) = (key, place) }

    /// Seals the page of this number. Returns false if SQLite has used the bytes that it was to leave free, because those would
    /// be lost.
    func seal(
        _ page: UnsafeRawBufferPointer, number: UInt32, into room: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard Self.isZero(UnsafeRawBufferPointer(rebasing: page[(Self.size - Self.reserved)...])) else { return false }
        withContext(number) { key.seal(page: page, context: $0, into: room) }
        return true
    }

    /// Opens the page of this number; false if it was changed, moved, or sealed with another key. A page that was never
    /// written is zero.
    func open(
        _ sealed: UnsafeRawBufferPointer, number: UInt32, into page: UnsafeMutableRawBufferPointer
    ) -> Bool {
        if withContext(number, { key.open(page: sealed, context: $0, into: page) }) { return true }
        return place == .database && Self.isZero(sealed)
    }

    private func withContext<Result>(_ number: UInt32, _ body: (Span<UInt8>) -> Result) -> Result {
        let number = number.bigEndian
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 5) { bytes in
            bytes.initialize(repeating: place.rawValue)
            UnsafeMutableRawBufferPointer(bytes).storeBytes(of: number, toByteOffset: 1, as: UInt32.self)
            return body(bytes.span)
        }
    }

    private static func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.allSatisfy { $0 == 0 } }
}
