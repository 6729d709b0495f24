import Records

/// An asset of a zone of which the copy has bytes: of a program on this machine, or downloaded.
struct AssetRow: Equatable, Sendable {
    /// Who needs an asset.
    struct Holders: OptionSet, Sendable {
        let rawValue: Int64

        /// A record as the hub has it. The bytes can be downloaded again.
        static let record = Holders(rawValue: 1)
        /// A change that is not acknowledged yet, which cannot be sent without the bytes.
        static let change = Holders(rawValue: 2)
        /// A change that the hub has refused, which the program may make again.
        static let refusedChange = Holders(rawValue: 4)
    }

    var id: Int64
    var zone: Int64
    var asset: Asset
    /// The bytes that the copy has, from the beginning on.
    var stored: Int64 = 0
    /// The state of the digest of these bytes; nil if the asset is complete.
    var state: [UInt8]?
    var holders: Holders = []
    /// Whether a record of the zone can have it at the hub.
    var isUploaded = false
    /// The bytes that the hub has of an upload in progress; nil if the upload begins anew, whatever the hub has.
    var sent: Int64? = 0
    /// How often an upload was of no use.
    var attempts: Int64 = 0

    var isComplete: Bool { state == nil }
}

/// How much the copy stores of assets.
struct AssetLimits: Equatable, Sendable {
    /// The most bytes of assets that can be downloaded again. Those that were not read for the longest time are removed first.
    var cachedBytes: Int64 = 1 << 30
    /// The most bytes of assets of a container that the hub does not have in a record yet, with their whole sizes: as many as an account
    /// may upload to a hub.
    var unsentBytes = Int64(Limits().uploadBytes)

    /// The most bytes of a part that is stored or read by a program.
    static let partBytes = 256 << 10
    /// The bytes of a part that is sent to the hub or received: a hub stores as much at once.
    static let transferBytes: Int64 = 1 << 20
    /// How long an asset is stored that a program has added and no record has: a day, in microseconds.
    static let patience: Int64 = 86_400 * 1_000_000
    /// How often an upload is repeated of which the hub says that it is not there, or has other bytes.
    static let mostAttempts: Int64 = 3
    /// Assets that are removed in one transaction.
    static let removedAtOnce: Int64 = 20
    /// Parts of an asset that are removed in one transaction: deleted bytes are overwritten, which takes time.
    static let removedPartsAtOnce: Int64 = 4
}
