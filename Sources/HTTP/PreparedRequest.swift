import Platform

/// A request that a client can send at once, because it is already loaded into a libcurl handle. A request that is not
/// sent leaves nothing behind.
@DaemonActor
public struct PreparedRequest {
    /// The handle, or the reason why the request cannot be sent.
    let lane: Result<Lane, HTTPSetupError>

    init(_ lane: Result<Lane, HTTPSetupError>) { self.lane = lane }
}
