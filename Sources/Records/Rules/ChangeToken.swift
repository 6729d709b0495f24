/// How far a client has fetched the changes of a zone or a database. Clients see signed bytes:
///
/// | bytes | |
/// | --- | --- |
/// | 1 | the version of the format, 1 |
/// | 1 | 1 for a zone, 2 for a database, 3 for a query |
/// | 8 | the incarnation of the zone, 0 for a database |
/// | 8 | the position: the counter of the last change that the client has |
/// | 8 | the baseline, 0 for a query |
/// | rest | the authentication code of these bytes, followed by container, environment, database, zone and query, and by the part of a zone that is shared |
///
/// Integers are big-endian. The code covers the place, so that a token of one place is none of another.
struct ChangeToken: Equatable {
    /// Where a token is valid.
    enum Place: Equatable {
        case zone(ZoneID)
        /// A part of a zone, with what the part depends on.
        case part(ZoneID, [UInt8])
        case database(DatabaseID)
        /// The cursor of a query with this digest.
        case query(ZoneID, [UInt8])

        fileprivate var kind: UInt8 {
            switch self {
            case .zone, .part: 1
            case .database: 2
            case .query: 3
            }
        }

        fileprivate var context: [UInt8] {
            switch self {
            case .zone(let zone): zone.context
            case .part(let zone, let part): zone.context + [0] + part
            case .database(let database): database.context
            case .query(let zone, let digest): zone.context + digest
            }
        }
    }

    private static let version: UInt8 = 1
    private static let headSize = 26

    /// The incarnation of the zone; 0 for a database.
    var incarnation: UInt64
    /// The counter of the last change that the client has.
    var position: UInt64
    /// The counter when the client began to fetch without a token. It knows of no record that was deleted before, so that it
    /// needs later deletions only, even while its position is still smaller.
    var baseline: UInt64

    /// Whether these are the bytes of a cursor of a query without an index.
    static func isCursor(_ bytes: [UInt8]) -> Bool { bytes.count > 1 && bytes[0] == version && bytes[1] == 3 }

    /// The counter from which on the client needs to know deletions.
    var deletedAfter: UInt64 { max(position, baseline) }

    private func head(_ place: Place) -> [UInt8] {
        [Self.version, place.kind] + incarnation.bigEndianBytes + position.bigEndianBytes + baseline.bigEndianBytes
    }

    /// The token as clients see it.
    func bytes(for place: Place, _ signer: some TokenSigner) -> [UInt8] {
        let head = head(place)
        return head + signer.code(of: head + place.context)
    }

    /// The token of these bytes; nil unless the signer has issued it for this place.
    init?(_ bytes: [UInt8], for place: Place, _ signer: some TokenSigner) {
        guard bytes.count > Self.headSize, bytes.count < 256 else { return nil }
        let head = Array(bytes[..<Self.headSize])
        guard head[0] == Self.version, head[1] == place.kind,
            signer.isCode(Array(bytes[Self.headSize...]), of: head + place.context)
        else { return nil }
        self.init(
            incarnation: UInt64(bigEndianBytes: head[2..<10]), position: UInt64(bigEndianBytes: head[10..<18]),
            baseline: UInt64(bigEndianBytes: head[18..<26]))
    }

    /// A token of these parts.
    init(incarnation: UInt64, position: UInt64, baseline: UInt64) {
        self.incarnation = incarnation
        self.position = position
        self.baseline = baseline
    }
}
