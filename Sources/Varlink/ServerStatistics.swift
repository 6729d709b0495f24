/// Why a connection ended.
public enum CloseReason: String, CaseIterable, Sendable {
    /// The client went away, or had its last reply after saying that no call follows.
    case clientClosed
    /// The server is stopping.
    case serverStopped
    /// A message longer than allowed.
    case messageTooLong
    /// A message that is no call.
    case malformedMessage
    /// A message that did not end in time.
    case unfinishedMessage
    /// A client that took nothing for too long.
    case lagging
    /// More replies waiting than allowed.
    case tooManyReplies
    /// What waited to be sent may not be seen any more.
    case revoked
    /// A restart came while something was done of which it is not known whether it was done.
    case interrupted
    /// The system reported an error.
    case systemError
}

/// What a server has counted since it began.
public struct ServerStatistics: Equatable, Sendable {
    /// Connections that are open now.
    public internal(set) var openConnections = 0
    /// Connections accepted, refused ones not among them.
    public internal(set) var acceptedConnections = 0
    /// Connections refused because their user has as many as one may.
    public internal(set) var refusedForUser = 0
    /// Connections refused because there are as many as may be.
    public internal(set) var refusedInAll = 0
    /// Connections refused because no descriptor was left.
    public internal(set) var refusedForDescriptors = 0
    /// Times that accepting paused because the system had no room.
    public internal(set) var acceptPauses = 0
    /// Connections ended, by reason.
    public internal(set) var closed: [CloseReason: Int] = [:]
    /// Calls received.
    public internal(set) var calls = 0
    /// Calls answered with one of the errors of `org.varlink.service` before any handler saw them.
    public internal(set) var rejectedCalls = 0
    /// Calls that ended with an error of their interface that says that the caller is not allowed.
    public internal(set) var refusedCalls = 0
    /// Replies that were offered and replaced by newer ones before the client took them.
    public internal(set) var droppedOffers = 0
    /// Replies that were offered and taken back.
    public internal(set) var discardedOffers = 0

    /// Nothing counted yet.
    public init() {}
}
