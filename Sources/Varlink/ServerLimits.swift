/// What a server grants its clients. Each limit that is hit is counted in `ServerStatistics`.
public struct ServerLimits: Equatable, Sendable {
    /// The longest message that is taken, in bytes without its NUL. Beyond: the connection is closed.
    public var maximumMessageBytes = 1 << 20
    /// How many arrays and objects may lie within each other in a message. Beyond: the connection is closed.
    public var maximumDepth = 16
    /// Connections of one user, see `ConnectionShare`. Beyond: refused with an error.
    public var maximumConnectionsPerUser = 64
    /// The user whose connections are bounded only with those of all: root.
    public var unlimitedUser: UInt32? = 0
    /// Connections in all. Beyond: refused with an error.
    public var maximumConnections = 16_384
    /// Of these, how many nobody but root may have; at most an eighth of all.
    public var reservedForRoot = 16
    /// Of these, how many nobody but root and operators may have; at most an eighth of all.
    public var reservedForOperators = 128
    /// Bytes of calls that wait behind another before no more is read.
    public var maximumPipelinedBytes = 64 << 10
    /// Bytes of replies that wait for a client, where there are more than one. Beyond: the connection is closed.
    public var maximumQueuedBytes = 4 << 20
    /// How long a message may take from its first byte to its end. After: the connection is closed.
    public var unfinishedMessage = Duration.seconds(30)
    /// How long a client may take nothing while replies wait for it. After: the connection is closed.
    public var lagging = Duration.seconds(60)
    /// The kernel's buffer for replies, SO_SNDBUF of socket(7), or nil for the system's own. It is small: what lies in
    /// it is neither replaced by something newer nor taken back.
    public var sendBufferBytes: Int32? = 32 << 10
    /// Refused connections that are kept for a second so that they can read why. Beyond: closed at once.
    public var maximumRefused = 64

    /// The defaults.
    public init() {}
}
