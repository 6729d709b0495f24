import Authorization
import Location
import Platform
import Varlink

/// One update of a position stream, encoded once for all streams that receive it.
@DaemonActor
final class UpdateEnvelope {
    private let disclosure: Disclosure?
    private let diagnostics: Diagnostics
    private let reported: Reported
    private let more: [String]
    let isStationary: Bool
    private lazy var undropped = encode(dropped: 0)

    /// The part of a client's authorization that is sent with every update.
    struct Reported: Equatable {
        var status: AuthorizationStatus
        var accuracy: AccuracyAuthorization
    }

    /// An update with or without a position, and the reasons why there is none or no better one.
    init(
        _ disclosure: Disclosure?, _ diagnostics: Diagnostics, _ reported: Reported, more: [String] = [],
        isStationary: Bool = false
    ) {
        self.disclosure = disclosure
        self.diagnostics = diagnostics
        self.reported = reported
        self.more = more
        self.isStationary = isStationary
    }

    /// The accuracy of the update's position.
    var accuracy: AccuracyAuthorization { disclosure?.position.accuracy ?? reported.accuracy }

    /// The reply of `Monitor` for a client that missed this many updates before it.
    func reply(dropped: Int) -> EncodedReply {
        dropped == 0 ? undropped : encode(dropped: dropped)
    }

    private func encode(dropped: Int) -> EncodedReply {
        EncodedReply(continues: true) { writer in
            writer.object("update") { writer in
                if let disclosure {
                    writer.key("position")
                    disclosure.write(to: &writer)
                }
                writer.member("authorizationStatus", reported.status.rawValue)
                writer.member("accuracyAuthorization", reported.accuracy.rawValue)
                writer.member("diagnostics", diagnostics.all.map(\.rawValue) + more)
                writer.member("stationary", isStationary)
                writer.member("dropped", dropped)
            }
        }
    }
}

/// Shares encoded updates of one fix between streams with the same decision.
@DaemonActor
struct EnvelopeCache {
    /// Whether the machine is stationary, at a fix of full accuracy.
    let isStationary: Bool
    private var last: (decision: Decision, reported: UpdateEnvelope.Reported, envelope: UpdateEnvelope)?

    init(isStationary: Bool = false) {
        self.isStationary = isStationary
    }

    /// The encoded disclosure of the present fix, reused from the previous stream if the decision is the same.
    mutating func envelope(
        _ decision: Decision, _ reported: UpdateEnvelope.Reported, disclose: () -> Disclosure?
    ) -> UpdateEnvelope {
        if let last, last.decision == decision, last.reported == reported { return last.envelope }
        let envelope = UpdateEnvelope(disclose(), decision.diagnostics, reported, isStationary: isStationary)
        last = (decision, reported, envelope)
        return envelope
    }
}
