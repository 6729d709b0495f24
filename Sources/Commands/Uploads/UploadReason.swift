import Interfaces
import NetworkPaths

/// The reason for an upload's state, in words: the words of `Status` in `io.waymark.Uploads`.
struct UploadReason {
    let state: UploadsInterface.State
    let word: UploadsInterface.Reason?

    /// Part of a sentence, after a colon.
    var clause: String {
        switch (state, word) {
        case (.idle, _): "no position is pending"
        case (.sending, .noAnswer): "the destination does not respond"
        case (.sending, _): "positions are being sent"
        case (.paused, _): "an operator has paused it"
        case (.waitingForRecording, nil): "it cannot read its recording yet"
        case (.waitingForRecording, let word?): "it cannot read its recording: \(word)"
        case (.waitingForPath, nil): "the route to the destination is being determined"
        case (.waitingForPath, let word?):
            UnreachableReason(rawValue: word.rawValue).map { ReasonText(reason: $0).clause } ?? word.rawValue
        case (.deferred, .expensive): "the route to the destination costs money"
        case (.deferred, .constrained): "as little as possible should be sent over the present route"
        case (.backingOff, let word?): Self.failure(word)
        case (.blocked, let word?): Self.block(word)
        case (let state, let word): word.map { "\(state): \($0)" } ?? state.rawValue
        }
    }

    private static func failure(_ word: UploadsInterface.Reason) -> String {
        switch word {
        case .nameLookup: "the destination's name could not be resolved"
        case .connect: "the connection was not accepted"
        case .tls: "no secure connection could be established"
        case .connectionLost: "the connection was closed before a response"
        case .timedOut: "there was no response in time"
        case .status: "the destination responded that it cannot accept positions now"
        case .captive: "another server responds in place of the destination, such as the portal of a public network"
        case .wrongAnswer: "the response did not confirm the positions"
        case .refused: "the destination responded that it rejects the positions"
        case .broker: "the broker is not ready"
        default: word.rawValue
        }
    }

    private static func block(_ word: UploadsInterface.Reason) -> String {
        switch word {
        case .unauthorized: "the credential is not accepted"
        case .unknownDevice: "the destination does not know the device"
        case .moved: "the destination is at another address now"
        case .onlyPositionRejected: "the destination has rejected the only pending position"
        case .everythingRejected: "the destination rejects every position"
        case .broker: "the broker does not accept this client"
        case .notConfigured: "the configuration is incomplete"
        default: word.rawValue
        }
    }
}
