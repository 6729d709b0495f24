import Cryptography
import Platform
import Records

extension Record {
    /// A file beside the records: what `CKAsset` is in CloudKit. Its bytes are stored on this machine before the record is saved that has
    /// it, are sent to the hub before the record is, and are downloaded on another machine when an app reads them there.
    ///
    ///     note["photo"] = try Record.Asset(filePath: "photo.jpg")
    ///     try await database.save(note)
    public struct Asset: Hashable, Sendable {
        /// The digest of the file: 32 bytes of SHA-256 (FIPS 180-4).
        public let digest: [UInt8]
        /// The size of the file in bytes.
        public let size: Int64
        private let origin: AssetOrigin

        /// The description of a file that a record of the zone has already, on whichever machine.
        public init(digest: [UInt8], size: Int64) {
            self.init(digest: digest, size: size, source: nil)
        }

        /// A file for a record, of at most 250 MiB. The file is read now, to compute its digest, and again when a record is saved that has
        /// the asset; it can be removed or changed after that.
        ///
        /// - Parameter filePath: The path of a regular file.
        /// - Throws: `assetFileNotFound` if the file cannot be read, and `limitExceeded` if it is too large.
        public init(filePath: String) throws(RecordError) {
            let source = AssetSource.file(filePath)
            let (digest, size) = try source.measure()
            self.init(digest: digest, size: size, source: source)
        }

        /// Bytes for a record, as if they were those of a file; at most 250 MiB.
        ///
        /// - Throws: `limitExceeded` if there are too many.
        public init(bytes: [UInt8]) throws(RecordError) {
            let source = AssetSource.bytes(bytes)
            let (digest, size) = try source.measure()
            self.init(digest: digest, size: size, source: source)
        }

        init(digest: [UInt8], size: Int64, source: AssetSource?) {
            self.digest = digest
            self.size = size
            origin = AssetOrigin(source: source)
        }

        /// Where the app has the bytes; nil if it has none.
        var source: AssetSource? { origin.source }
    }
}

extension Record.Asset: RecordListElement {
    /// The description, with the place of the bytes as long as the record is not saved. A digest of another length cannot be stored.
    public var recordValue: RecordValue {
        RecordValue(Records.Asset(digest: digest, size: size).map(FieldValue.asset), source == nil ? [] : [self])
    }

    /// The description.
    public init?(_ value: RecordValue) {
        guard case .asset(let asset) = value.field else { return nil }
        let added = value.addedAssets.first { $0.digest == asset.digest }
        self.init(digest: asset.digest, size: asset.size, source: added?.source)
    }

    /// Assets.
    public static func recordValue(of list: [Record.Asset]) -> RecordValue {
        RecordValue(stored(.asset, list).field, list.filter { $0.source != nil })
    }

    /// Assets.
    public static func list(_ value: RecordValue) -> [Record.Asset]? {
        guard case .list(let list) = value.field, list.kind == .asset else { return nil }
        return list.values.compactMap { Record.Asset(RecordValue($0, value.addedAssets)) }
    }
}
