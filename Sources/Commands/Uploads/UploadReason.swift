import NetworkPaths

/// The reason for an upload's state, in words: the words of `AuthorizationState` in `io.waymark.Uploads`.
struct UploadReason {
    let state: String
    let word: String?

    /// Part of a sentence, after a colon.
    var clause: String {
        switch (state, word) {
        case ("idle", _): "nothing waits"
        case ("sending", "noAnswer"): "the destination does not answer"
        case ("sending", _): "positions are on their way"
        case ("paused", _): "an operator has paused it"
        case ("waitingForRecording", nil): "it cannot read its recording yet"
        case ("waitingForRecording", let word?): "it cannot read its recording: \(word)"
        case ("waitingForPath", nil): "whether there is a way to the destination is being found out"
        case ("waitingForPath", let word?):
            UnreachableReason(rawValue: word).map { ReasonText(reason: $0).clause } ?? word
        case ("deferred", "expensive"): "the way there costs money"
        case ("deferred", "constrained"): "as little as possible is to be sent on this way"
        case ("backingOff", let word?): Self.failure(word)
        case ("blocked", let word?): Self.block(word)
        case (let state, let word): word.map { "\(state): \($0)" } ?? state
        }
    }

    private static func failure(_ word: String) -> String {
        switch word {
        case "nameLookup": "the destination's name could not be looked up"
        case "connect": "nobody took the connection"
        case "tls": "no secure connection came about"
        case "connectionLost": "the connection ended before an answer"
        case "timedOut": "no answer came in time"
        case "status": "the destination has answered that it cannot take it now"
        case "captive": "somebody else answers in the destination's place, as the portal of a public network does"
        case "wrongAnswer": "the answer was none that says it has arrived"
        case "refused": "the destination has answered that it did not take it"
        case "broker": "the broker is not ready"
        default: word
        }
    }

    private static func block(_ word: String) -> String {
        switch word {
        case "unauthorized": "the credential is not accepted"
        case "unknownDevice": "the destination does not know the device"
        case "moved": "the destination is at another address now"
        case "onlyPositionRejected": "the destination has refused the only position that waits"
        case "everythingRejected": "the destination takes no position at all"
        case "broker": "the broker does not accept this client"
        case "notConfigured": "the configuration says not enough"
        default: word
        }
    }
}
