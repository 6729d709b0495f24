import Records

/// The account that this machine has joined.
struct SyncAccount: Equatable, Sendable {
    /// The address of the hub, such as https://server:8743.
    var hub: String
    /// The digest of the hub's own key, SHA-256; nil where an authority vouches for the hub's certificate.
    var pin: [UInt8]?
    /// What authenticates this machine. It is never logged.
    var token: String
    /// The account and this machine's name in it.
    var id: AccountDevice
    /// Identifies the copy: another one for each time that an account is joined, so that an app notices that the revisions it
    /// has stored are those of another copy.
    var copy: String
    /// The key of the account's identifiers, 32 bytes, which the hub has computed.
    var identifierKey: [UInt8]
    /// Whether the hub does not accept the token any more.
    var isRemoved = false
}
