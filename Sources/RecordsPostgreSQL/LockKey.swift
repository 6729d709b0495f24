import Cryptography
import RecordTables
import Records

/// The number of a lock of PostgreSQL (`pg_advisory_xact_lock`) that stands for a `RecordLock`: three bits for its kind, and 61
/// bits of the digest of its name.
///
/// Locks of rows are no alternative: what does not exist yet has no row, and has to be locked all the same.
///
/// Two locks may have the same number. Their holders then wait for each other without need, which is harmless. But numbers are
/// not in the order of names, so that names cannot be the order in which transactions wait. The order is that of the numbers: a
/// transaction waits for a lock only if its number is greater than those of all locks that the transaction holds. Of any set of
/// transactions, the one with the greatest number therefore waits for none of the others, and so no transactions wait for each
/// other in a circle. A lock with a smaller number is only acquired if it is free; if not, the transaction is undone and
/// performed again, and begins by acquiring the locks that it was found to need, in their order.
struct LockKey: Hashable, Comparable {
    let number: UInt64

    init(_ number: UInt64) { self.number = number }

    init(_ lock: RecordLock) {
        let (kind, columns): (UInt64, [StoredValue]) =
            switch lock {
            case .account(let account): (0, [account.column])
            case .answer(let key): (1, key.columns)
            case .zone(let zone): (2, zone.columns)
            case .database(let database): (3, database.columns)
            case .schema(let container): (4, [container.column])
            case .discardedAssets: (5, [])
            case .team(let container): (6, [container.column])
            }
        var bytes: [UInt8] = []
        for case .text(let text) in columns.map(\.asText) {
            // The length is before each text, so that no two names are the same bytes.
            bytes.append(UInt8(truncatingIfNeeded: text.utf8.count))
            bytes += text.utf8
        }
        let digest = Digest.digest(of: bytes).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        number = kind << 61 | digest >> 3
    }

    /// The schema of the database, while it is made.
    static let schema = LockKey(0x5761_796D_6172_6B00)

    static func < (left: LockKey, right: LockKey) -> Bool { left.number < right.number }

    /// The number with a sign, as PostgreSQL has it.
    var integer: Int64 { Int64(bitPattern: number) }
}

extension StoredValue {
    fileprivate var asText: StoredValue { if case .integer(let integer) = self { .text("\(integer)") } else { self } }
}
