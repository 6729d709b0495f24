/// A server's limits for its clients. `ServerStatistics` counts each time that one is reached.
public struct ServerLimits: Equatable, Sendable {
    /// The longest message in bytes, without its NUL. Beyond: the connection is closed.
    public var maximumMessageBytes = 1 << 20
    /// The deepest nesting of arrays and objects in a message. Beyond: the connection is closed.
    public var maximumDepth = 16
    /// Connections of one quota, see `ConnectionShare`. Beyond: refused with an error.
    public var maximumConnectionsPerUser = 64
    /// The user that is limited only by the total number of connections: root.
    public var unlimitedUser: UInt32? = 0
    /// Connections in all. Beyond: refused with an error.
    public var maximumConnections = 16_384
    /// The connections of these that are reserved for root; at most an eighth of all.
    public var reservedForRoot = 16
    /// The connections of these that are reserved for root and operators; at most an eighth of all.
    public var reservedForOperators = 128
    /// Bytes of calls queued behind another before reading is paused.
    public var maximumPipelinedBytes = 64 << 10
    /// Bytes of replies queued for a client, if there is more than one. Beyond: the connection is closed.
    public var maximumQueuedBytes = 4 << 20
    /// The longest time from the first byte of a message to its end. After: the connection is closed.
    public var unfinishedMessage = Duration.seconds(30)
    /// The longest time in which a client receives nothing while replies are queued. After: the connection is closed.
    public var lagging = Duration.seconds(60)
    /// The kernel's buffer for replies, SO_SNDBUF of socket(7), or nil for the system's default. It is small, because
    /// data in it can be neither replaced by newer data nor withdrawn.
    public var sendBufferBytes: Int32? = 32 << 10
    /// Refused connections that stay open for a second so that they can read the reason. Beyond: closed at once.
    public var maximumRefused = 64

    /// The defaults.
    public init() {}
}
