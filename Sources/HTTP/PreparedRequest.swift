import Platform

/// A request that a client can send at once: all that it takes is on a handle of libcurl's already. One that is not sent
/// leaves nothing behind.
@DaemonActor
public struct PreparedRequest {
    /// The handle; why there is none where the request cannot be sent.
    let lane: Result<Lane, HTTPSetupError>

    init(_ lane: Result<Lane, HTTPSetupError>) { self.lane = lane }
}
