import Cryptography
import Location
import Platform

/// A run of rows of one owner that are sealed with a key of their own: at most 256 rows or 10 minutes. The key is wrapped
/// with the key of the rows' class, so that a class which is only written needs no secret to begin one.
public struct Segment: Equatable, Sendable {
    /// What the rows belong to, and what the key of a row's segment is bound to.
    public struct Place: Equatable, Sendable {
        /// The `id` of the file of keys; empty for the class `none`.
        public var keyFile: [UInt8]
        /// The class.
        public var protection: ProtectionClass
        /// The number of the segment, unique in its database.
        public var number: Int64
        /// What the rows belong to: a recording, a monitor. A name that does not change and is not used again.
        public var owner: [UInt8]

        /// A place of these parts.
        public init(keyFile: [UInt8], protection: ProtectionClass, number: Int64, owner: [UInt8]) {
            self.keyFile = keyFile
            self.protection = protection
            self.number = number
            self.owner = owner
        }

        /// The context of the segment's key: every part with its length, so that no two places have the same.
        var context: [UInt8] {
            var context = Array("waymark segment 1 ".utf8) + [protection.rawValue, UInt8(clamping: keyFile.count)]
            context += keyFile
            withUnsafeBytes(of: number.littleEndian) { context += $0 }
            withUnsafeBytes(of: UInt32(owner.count).littleEndian) { context += $0 }
            return context + owner
        }
    }

    /// The most rows of a segment.
    public static let mostRows = 256
    /// Seconds after which a segment takes no more rows.
    public static let longest = 600.0

    /// What the rows belong to.
    public let place: Place
    /// The key of the rows, wrapped. It is stored beside them.
    public let wrapped: [UInt8]

    /// A segment that was stored.
    public init(_ place: Place, wrapped: [UInt8]) {
        self.place = place
        self.wrapped = wrapped
    }

    /// Begins a segment: makes the key of its rows, and wraps it. Nil if the class cannot be written with these keys.
    public static func begin(_ place: Place, with keys: WritingKeys) throws(SystemError) -> (
        segment: Segment, rows: RowCipher
    )? {
        let key = try SymmetricKey.random()
        let wrapped: [UInt8]?
        switch keys {
        case .symmetric(let own): wrapped = own.wrap(key, context: place.context)
        case .sealing(let publicKey): wrapped = publicKey.seal(key, context: place.context)
        }
        return wrapped.map { (Segment(place, wrapped: $0), RowCipher(key, place)) }
    }

    /// The segment with its key wrapped by another key of a class that has one key for reading and writing; nil if it does not
    /// open. The key of the rows stays the same, and so do they.
    public func rewrapped(from former: SymmetricKey, to key: SymmetricKey) throws(SystemError) -> Segment? {
        guard let own = try former.unwrap(wrapped, context: place.context) else { return nil }
        return Segment(place, wrapped: key.wrap(own, context: place.context))
    }

    /// The cipher of the rows; nil if the key is another one, or the segment was changed or moved.
    public func open(with key: SymmetricKey) throws(SystemError) -> RowCipher? {
        let own: SymmetricKey?
        if place.protection == .completeUnlessOpen {
            own = try SealingKeyPair(privateKey: key)?.open(wrapped, context: place.context)
        } else {
            own = try key.unwrap(wrapped, context: place.context)
        }
        return own.map { RowCipher($0, place) }
    }
}

/// What begins a segment.
public enum WritingKeys: Sendable {
    /// The key of a class that is read and written with the same one.
    case symmetric(SymmetricKey)
    /// The public key of a class that is written while the machine is locked.
    case sealing(SealingKeyPair.PublicKey)
}
