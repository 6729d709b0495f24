import Cryptography
import JSONText
import Location
import Platform

/// A text that is sealed alone, in a segment with one row: for values that are stored seldom and replaced as a whole.
public struct SealedValue: Equatable, Sendable {
    /// What is in a value.
    public enum Content: Equatable, Sendable {
        /// The text.
        case text(String)
        /// The key is not there at present, and why, for people.
        case locked(String)
        /// It was changed, or is the value of another name.
        case damaged
    }

    private static let number: Int64 = 1
    private static let version = "sealed 1 "

    private let segment: Segment
    private let sealed: [UInt8]

    /// Seals a text; nil if the class cannot be written with these keys. The name is that of the value alone, and is
    /// authenticated.
    public init?(
        _ text: String, name: String, _ protection: ProtectionClass, with keys: AvailableKeys
    ) throws(SystemError) {
        guard let writing = keys.writing(protection) else { return nil }
        let place = Self.place(name, protection, keyFile: keys.keyFile(of: protection))
        guard let (segment, cipher) = try Segment.begin(place, with: writing) else { return nil }
        var sealed: [UInt8] = []
        cipher.seal(Array(text.utf8).span, number: Self.number, appendingTo: &sealed)
        (self.segment, self.sealed) = (segment, sealed)
    }

    /// Whether a stored text is a sealed value, even one that cannot be read.
    public static func isSealed(_ stored: String) -> Bool { stored.hasPrefix("sealed ") }

    /// The value that was stored under a name; nil for a text that `stored` does not make.
    public init?(stored: String, name: String) {
        guard stored.hasPrefix(Self.version) else { return nil }
        let parts = stored.dropFirst(Self.version.count).split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 4, let number = UInt8(parts[0]), let protection = ProtectionClass(rawValue: number),
            let keyFile = HexText.bytes(of: String(parts[1])), let wrapped = HexText.bytes(of: String(parts[2])),
            let sealed = HexText.bytes(of: String(parts[3]))
        else { return nil }
        segment = Segment(Self.place(name, protection, keyFile: keyFile), wrapped: wrapped)
        self.sealed = sealed
    }

    /// The `id` of the file of keys with which it was sealed.
    public var keyFile: [UInt8] { segment.place.keyFile }

    /// The text to store.
    public var stored: String {
        let parts = [
            String(segment.place.protection.rawValue), HexText.text(segment.place.keyFile),
            HexText.text(segment.wrapped), HexText.text(sealed),
        ]
        return Self.version + parts.joined(separator: " ")
    }

    /// Opens it with the keys that there are.
    public func open(with keys: AvailableKeys) throws(SystemError) -> Content {
        let reading = keys.reading(segment.place)
        guard case .key(let key) = reading else { return .locked(reading.obstacle) }
        guard let bytes = try segment.open(with: key)?.open(sealed.span, number: Self.number),
            let text = String(validating: bytes, as: UTF8.self)
        else { return .damaged }
        return .text(text)
    }

    private static func place(_ name: String, _ protection: ProtectionClass, keyFile: [UInt8]) -> Segment.Place {
        Segment.Place(
            keyFile: keyFile, protection: protection, number: number, owner: Array("value \(name)".utf8))
    }
}
