import HTTPServing
import Records

/// The response to a request, and what else follows from it once it is stored.
struct HubAnswer: Sendable {
    /// The response.
    var reply: HTTPReply
    /// The devices to wake.
    var pushes: [Push] = []
    /// The bytes that the response has, of which its body is only the first part; nil if the body is complete.
    var range: ByteRange?
    /// What the log says about accounts and devices.
    var event: AccountEvent?
    /// What the log says about the team and the schema of a container.
    var containerEvent: ContainerEvent?
    /// Why the engine failed; nil if it did not.
    var failure: EngineFailure?

    init(_ reply: HTTPReply) { self.reply = reply }

    init(_ failure: EngineFailure) {
        reply = HubError.unavailable(failure).reply
        self.failure = failure
    }
}

/// A change of an account's devices.
enum AccountEvent: Equatable, Sendable {
    /// A device was invited.
    case invited(AccountDevice)
    /// A device has joined.
    case joined(AccountDevice)
    /// A device was removed, or its invitation was.
    case removed(AccountDevice)
}
