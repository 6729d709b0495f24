/// Which host is watched, and for whom: rules may treat users apart, and reports count for the user who made them.
public struct TargetKey: Hashable, Sendable {
    /// The host as it was asked for.
    public let text: String
    /// What that means.
    public let host: Host
    /// The port as it was asked for.
    public let port: UInt16?
    /// The user who asks.
    public let uid: UInt32

    /// A host for a user; nil where the text is neither an address nor a name.
    public init?(_ text: String, port: UInt16? = nil, uid: UInt32) {
        guard let host = Host(text) else { return nil }
        self.text = text
        self.host = host
        self.port = port
        self.uid = uid
    }

    /// Whether both mean one host and port for one user, however they are written.
    func isSameHost(as other: TargetKey) -> Bool { host == other.host && port == other.port && uid == other.uid }
}
