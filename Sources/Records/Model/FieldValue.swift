import Location

/// The kind of a field's value.
public enum FieldKind: String, Sendable, CaseIterable {
    /// Text.
    case string
    /// Bytes.
    case bytes
    /// An integer of 64 bits.
    case integer
    /// A finite number.
    case double
    /// A time.
    case date
    /// A place on Earth.
    case location
    /// A record of the same zone.
    case reference
    /// A file beside the records.
    case asset
}

/// The value of a field: what an app has stored, so a place in it was disclosed to the app before.
public enum FieldValue: Hashable, Sendable {
    /// Text.
    case string(String)
    /// Bytes.
    case bytes([UInt8])
    /// An integer.
    case integer(Int64)
    /// A finite number.
    case double(FiniteDouble)
    /// A time.
    case date(UTCTime)
    /// A place on Earth.
    case location(StoredPlace)
    /// A record of the same zone by its name. Whether it exists is not checked.
    case reference(RecordName)
    /// A file beside the records.
    case asset(Asset)
    /// Values of one kind.
    case list(FieldList)
    /// The value of an encrypted field, between an app and `waymark-sync`.
    indirect case encrypted(EncryptedValue)
    /// The value of an encrypted field everywhere else.
    case sealed(SealedField)

    /// The kind; nil for a list, and for the value of an encrypted field.
    public var kind: FieldKind? {
        switch self {
        case .string: .string
        case .bytes: .bytes
        case .integer: .integer
        case .double: .double
        case .date: .date
        case .location: .location
        case .reference: .reference
        case .asset: .asset
        case .list, .encrypted, .sealed: nil
        }
    }

    /// What the value is.
    public var shape: FieldDefinition.Shape { FieldDefinition.Shape(of: self) }

    /// What an element of a list adds besides its own size, in bytes: small values must not be so many that the JSON of a
    /// page has more of them than a client reads.
    static let elementOverhead = 8

    /// What the value adds to the size of its record, in bytes: the bytes of texts, 8 for each number, and for an asset
    /// its description.
    public var size: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .integer, .double, .date: 8
        case .location: 40
        case .reference(let name): name.text.utf8.count
        case .asset: Asset.digestSize + 8
        case .list(let list): list.values.reduce(0) { $0 + $1.size + Self.elementOverhead }
        case .encrypted(let value): value.value.json.count + SealedField.overhead
        case .sealed(let field): field.bytes.count
        }
    }

    /// Whether two values are the same. Texts are compared by their bytes: Swift compares canonically equivalent texts as
    /// equal, and a save that changes only the composition of a character must not be lost.
    public static func == (left: FieldValue, right: FieldValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.location(let left), .location(let right)): left == right
        case (.reference(let left), .reference(let right)): left == right
        case (.asset(let left), .asset(let right)): left == right
        case (.list(let left), .list(let right)): left == right
        case (.encrypted(let left), .encrypted(let right)): left == right
        case (.sealed(let left), .sealed(let right)): left == right
        default: false
        }
    }
}

/// A number that JSON can represent.
public struct FiniteDouble: Hashable, Sendable {
    /// The number.
    public let value: Double

    /// Nil if the number is infinite or none.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        self.value = value
    }
}

/// Values of one kind. A list contains no lists.
public struct FieldList: Hashable, Sendable {
    /// The kind of all values.
    public let kind: FieldKind
    /// The values.
    public let values: [FieldValue]

    /// Nil unless all values have this kind.
    public init?(_ kind: FieldKind, _ values: [FieldValue]) {
        guard values.allSatisfy({ $0.kind == kind }) else { return nil }
        self.kind = kind
        self.values = values
    }
}

/// A place as an app stores it.
public struct StoredPlace: Hashable, Sendable {
    /// The point.
    public var coordinate: Coordinate
    /// Metres above the ellipsoid; nil if unknown.
    public var altitude: FiniteDouble?
    /// The radius in metres within which the machine was; nil if unknown.
    public var horizontalAccuracy: FiniteDouble?
    /// When the machine was there; nil if unknown.
    public var time: UTCTime?

    /// A place of these parts.
    public init(
        _ coordinate: Coordinate, altitude: FiniteDouble? = nil, horizontalAccuracy: FiniteDouble? = nil,
        time: UTCTime? = nil
    ) {
        self.coordinate = coordinate
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.time = time
    }
}

/// A file beside the records, named by what is in it.
public struct Asset: Hashable, Sendable {
    /// The size of a digest in bytes: SHA-256 (FIPS 180-4).
    public static let digestSize = 32
    /// The largest file, in bytes.
    public static let mostBytes: Int64 = 250 << 20

    /// The digest of the file.
    public let digest: [UInt8]
    /// The size of the file in bytes.
    public let size: Int64

    /// Nil if the digest has another length, or the file would be too large.
    public init?(digest: [UInt8], size: Int64) {
        guard digest.count == Self.digestSize, (0...Self.mostBytes).contains(size) else { return nil }
        self.digest = digest
        self.size = size
    }
}
