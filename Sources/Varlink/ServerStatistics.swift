/// Why a connection ended.
public enum CloseReason: String, CaseIterable, Sendable {
    /// The client disconnected, or received its last reply after it had closed its direction.
    case clientClosed
    /// The server is stopping.
    case serverStopped
    /// A message longer than allowed.
    case messageTooLong
    /// A message that is not a call.
    case malformedMessage
    /// A message that was not complete in time.
    case unfinishedMessage
    /// A client that received nothing for too long.
    case lagging
    /// More bytes of replies queued than permitted.
    case tooManyReplies
    /// The client may no longer receive data that was queued for it.
    case revoked
    /// A restart during a call that may already have had its effect.
    case interrupted
    /// The system reported an error.
    case systemError
}

/// A server's counters since its start.
public struct ServerStatistics: Equatable, Sendable {
    /// Connections that are open now.
    public internal(set) var openConnections = 0
    /// Connections accepted, without refused ones.
    public internal(set) var acceptedConnections = 0
    /// Connections refused because their quota was reached.
    public internal(set) var refusedForUser = 0
    /// Connections refused because the total was reached.
    public internal(set) var refusedInAll = 0
    /// Connections refused because no descriptor was available.
    public internal(set) var refusedForDescriptors = 0
    /// Pauses of accepting for lack of system resources.
    public internal(set) var acceptPauses = 0
    /// Connections closed, by reason.
    public internal(set) var closed: [CloseReason: Int] = [:]
    /// Calls received.
    public internal(set) var calls = 0
    /// Calls answered with an error of `org.varlink.service` without calling a handler.
    public internal(set) var rejectedCalls = 0
    /// Calls that ended with an error of their interface which means that the caller is not permitted.
    public internal(set) var refusedCalls = 0
    /// Offered replies that were replaced by newer ones before they were sent.
    public internal(set) var droppedOffers = 0
    /// Offered replies that were withdrawn.
    public internal(set) var discardedOffers = 0

    /// All counters are 0.
    public init() {}
}
