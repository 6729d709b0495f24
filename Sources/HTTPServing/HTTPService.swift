import Platform

/// What answers the requests of an `HTTPServer`.
@DaemonActor
public protocol HTTPService: AnyObject {
    /// Called when the head of a request is complete, before its body is received: admits a body, answers the request, or
    /// does one of both later.
    func begin(_ exchange: Exchange)
    /// Called when the request is complete. The service answers it, at once or later.
    func answer(_ exchange: Exchange)
    /// Called with each part of a body that was admitted in parts, besides the last one. The service accepts or refuses it, at
    /// once or later.
    func receivePart(_ exchange: Exchange)
}

extension HTTPService {
    /// A service that admits no bodies in parts.
    public func receivePart(_ exchange: Exchange) { exchange.reply(nil) }
}

/// What limits an `HTTPServer`.
public struct ServerSettings: Sendable {
    /// The most connections at a time; further ones wait to be accepted.
    public var connections: UInt32
    /// The most connections from one address; 0 for no limit.
    public var connectionsOfAddress: UInt32
    /// Seconds after which a connection is closed on which nothing arrives or is sent, if no request of it waits for an
    /// answer.
    public var idleSeconds: UInt32
    /// The most bytes of a request's head, and of memory for it.
    public var headBytes: Int

    /// Settings of these parts.
    public init(
        connections: UInt32 = 256, connectionsOfAddress: UInt32 = 0, idleSeconds: UInt32 = 300,
        headBytes: Int = 32 << 10
    ) {
        self.connections = connections
        self.connectionsOfAddress = connectionsOfAddress
        self.idleSeconds = idleSeconds
        self.headBytes = headBytes
    }
}
