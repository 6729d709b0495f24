/// A watched host and its user: routing rules may depend on the user, and reported outcomes count for the user who
/// reported them.
public struct TargetKey: Hashable, Sendable {
    /// The host as the client wrote it.
    public let text: String
    /// The parsed host.
    public let host: Host
    /// The port as the client specified it.
    public let port: UInt16?
    /// The user of the client.
    public let uid: UInt32

    /// Creates a key; nil if the text is neither an address nor a name.
    public init?(_ text: String, port: UInt16? = nil, uid: UInt32) {
        guard let host = Host(text) else { return nil }
        self.text = text
        self.host = host
        self.port = port
        self.uid = uid
    }

    /// Whether both are the same host and port for one user, whatever their spelling.
    func isSameHost(as other: TargetKey) -> Bool { host == other.host && port == other.port && uid == other.uid }
}
