import Authorization
import Location
import Platform
import Varlink

/// One update of a position stream, encoded once however many streams get it.
@DaemonActor
final class UpdateEnvelope {
    private let disclosure: Disclosure?
    private let standing: Standing
    private let diagnostics: [String]
    private lazy var undropped = encode(dropped: 0)

    /// An update with a position, or without one and the reasons why.
    init(_ disclosure: Disclosure?, standing: Standing, diagnostics: [String]) {
        self.disclosure = disclosure
        self.standing = standing
        self.diagnostics = diagnostics
    }

    /// The reply of `Monitor`, for a client that missed so many updates before it.
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
                writer.member("authorizationStatus", standing.status.rawValue)
                writer.member("accuracyAuthorization", standing.accuracy.rawValue)
                writer.member("diagnostics", diagnostics)
                writer.member("stationary", false)
                writer.member("dropped", dropped)
            }
        }
    }
}

/// What a requester is allowed, as the gate says.
struct Standing: Equatable {
    var status: AuthorizationStatus
    var accuracy: AccuracyAuthorization
    var diagnostics: [Diagnostic]

    init(_ gate: Gate, for requester: Requester) {
        status = gate.status(for: requester)
        accuracy = gate.accuracy(for: requester)
        diagnostics = []
    }

    /// Writes the `Authorization` of `io.waymark.Location`.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("status", status.rawValue)
            writer.member("accuracy", accuracy.rawValue)
            writer.member("diagnostics", diagnostics.map(\.rawValue))
            writer.member("isInUse", false)
        }
    }
}

/// Shares encoded updates between streams that may see the same of one fix.
@DaemonActor
struct EnvelopeCache {
    private var last: (disclosure: Disclosure, standing: Standing, envelope: UpdateEnvelope)?

    /// The envelope of a disclosure: the same one as for the stream before, where that may see the same.
    mutating func envelope(_ disclosure: Disclosure, standing: Standing) -> UpdateEnvelope {
        if let last, last.disclosure == disclosure, last.standing == standing { return last.envelope }
        let envelope = UpdateEnvelope(
            disclosure, standing: standing, diagnostics: standing.diagnostics.map(\.rawValue))
        last = (disclosure, standing, envelope)
        return envelope
    }
}
