import Authorization
import Location
import Platform
import Varlink

/// One update of position streams. The encoding without losses is made once, for all streams that receive the update; one with
/// `dropped` is made for its client.
@DaemonActor
final class UpdateEnvelope {
    private let disclosure: Disclosure?
    private let diagnostics: Diagnostics
    private let reported: ReportedAuthorization
    /// Further words among the diagnostics, such as those of a pause.
    private let more: [String]
    /// Whether the machine is stationary; false for a position of reduced accuracy.
    let isStationary: Bool
    private lazy var undropped = encode(dropped: 0)

    /// An update with or without a position, and the reasons why there is none or no better one.
    init(
        _ disclosure: Disclosure?, _ diagnostics: Diagnostics, _ reported: ReportedAuthorization, more: [String] = [],
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
