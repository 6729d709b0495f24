/// The reason why a request as a whole is refused. Nothing was changed.
public enum Refusal: Error, Equatable, Sendable {
    /// More than a limit permits. The client sends less at once.
    case limitExceeded(Limits.Subject, most: Int)
    /// A request that contradicts itself. The text says how.
    case invalidRequest(Contradiction)
    /// The caller has no account, and the request needs one.
    case notAuthenticated
    /// The caller may not do this here, whether or not the zone exists.
    case notPermitted
    /// There is no such record.
    case unknownItem
    /// There is no such zone. If it was deleted not long ago, the reason is known.
    case zoneNotFound(ZoneDeletionReason?)
    /// A change token that cannot be continued. The client fetches again without one, and sends what it has not sent yet.
    case changeTokenExpired(TokenProblem)
    /// The query does not fit the schema.
    case notInSchema(SchemaViolation)
    /// The idempotency key belongs to another request of this device.
    case requestKeyReused

    /// How a request contradicts itself.
    public enum Contradiction: String, Sendable, CaseIterable {
        /// A record or a zone is named twice.
        case namedTwice
        /// The default zone cannot be made, deleted or shared.
        case defaultZone
        /// The public database has the default zone only, and no changes to fetch or subscribe to.
        case publicDatabase
        /// A zone is shared with its owner.
        case ownZone
        /// The value of an encrypted field is not sealed, or a sealed one is for the public database, which everybody may read.
        case notSealed
        /// An alert of the public database fills in values of records, which no machine has.
        case alertArguments
    }
}

/// The reason why a change token cannot be continued.
public enum TokenProblem: String, Error, Sendable, CaseIterable {
    /// The token was not issued by this hub for this zone or database.
    case foreign
    /// Deletions after the token were removed since.
    case outdated
    /// The zone was deleted, and made again.
    case replaced
}

/// Why a zone was deleted.
public enum ZoneDeletionReason: String, Sendable, CaseIterable {
    /// An app deleted it. Clients remove their copies.
    case deleted
    /// The person deleted the app's data. Clients remove their copies and what they have not sent.
    case purged
    /// The person lost the key. Clients send their copies again.
    case encryptedDataReset
    /// The zone is no longer shared with the account. Clients remove their copies.
    case withdrawn
}
