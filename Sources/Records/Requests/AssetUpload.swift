/// A part of an asset that an account uploads.
public struct AssetPart: Equatable, Sendable {
    /// The zone whose records may have the asset.
    public var zone: ZoneID
    /// The digest of the whole asset, SHA-256.
    public var digest: [UInt8]
    /// The size of the whole asset in bytes; nil if an earlier part has said it.
    public var size: Int64?
    /// The bytes before the part; nil if the upload begins anew, whatever there is.
    public var offset: Int64?
    /// The bytes.
    public var bytes: [UInt8]

    /// A part of these parts.
    public init(_ digest: [UInt8], size: Int64?, offset: Int64?, bytes: [UInt8] = [], to zone: ZoneID) {
        self.digest = digest
        self.size = size
        self.offset = offset
        self.bytes = bytes
        self.zone = zone
    }
}

/// How far an upload has come.
public struct UploadProgress: Equatable, Sendable {
    /// The bytes that are stored.
    public var offset: Int64
    /// The size of the whole asset.
    public var size: Int64
    /// Whether all bytes are stored and have the digest, so that a record can have the asset.
    public var isComplete: Bool

    /// Progress of these parts.
    public init(offset: Int64, size: Int64, isComplete: Bool) {
        self.offset = offset
        self.size = size
        self.isComplete = isComplete
    }

    init(_ row: AssetRow) { self.init(offset: row.received, size: row.asset.size, isComplete: row.isComplete) }
}

/// Why a part of an asset is not stored.
public enum UploadRefusal: Error, Equatable, Sendable {
    /// A rule that is not about uploads alone.
    case refused(Refusal)
    /// The account has begun no upload of this asset to this zone, or has ended it.
    case unknown
    /// So many bytes are stored, and the part does not begin there.
    case offsetDiffers(UploadProgress)
    /// The first part needs the size of the asset.
    case needsSize
    /// An earlier part has said another size.
    case sizeDiffers(Int64)
    /// The part ends after the asset, whose size this is.
    case tooLong(Int64)
    /// The bytes have another digest. The upload begins anew.
    case digestDiffers
}

/// Bytes of an asset that a record has.
public struct AssetBytes: Equatable, Sendable {
    /// The asset.
    public var asset: Asset
    /// The bytes from the offset on that was wanted: none at the end, otherwise one at least.
    public var bytes: [UInt8]
}

/// Computes SHA-256 (FIPS 180-4) of bytes that come in parts, with days in between.
public protocol AssetHasher {
    /// The state after further bytes. The state at the beginning is empty.
    func state(after bytes: [UInt8], _ state: [UInt8]) -> [UInt8]
    /// The digest of all bytes.
    func digest(_ state: [UInt8]) -> [UInt8]
}
