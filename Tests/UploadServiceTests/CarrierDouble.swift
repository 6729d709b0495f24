import Platform
import Upload

@testable import UploadService

/// A destination without a network: it replies as a test defines.
@DaemonActor
final class CarrierDouble: Carrier {
    /// The shared record of all carriers of one test.
    @DaemonActor final class Destination {
        /// Every transfer that was sent, in order.
        var sent: [Transfer] = []
        /// The transfers without a response that are not cancelled.
        var open: [Transfer] = []
        /// Returns the immediate response to a transfer; nil for a silent destination.
        var evaluate: ((Transfer) -> HTTPAnswer)? = { _ in
            HTTPAnswer(status: 200, body: Array(#"{"result":"ok"}"#.utf8))
        }
        /// The configuration and credentials of each carrier that was made.
        var carriers: [(UploadConfiguration, Credentials)] = []
        /// The current carrier.
        weak var current: CarrierDouble?
        /// How often the carrier was notified of a changed network path.
        var pathChanges = 0

        nonisolated init() {}

        /// The numbers of all positions that were sent in order.
        var numbers: [Int64] { sent.filter { $0.lane == .history }.flatMap(\.positions).map(\.sequence) }

        func make(
            _ configuration: UploadConfiguration, _ credentials: Credentials,
            _ report: @escaping @DaemonActor (CarrierEvent) -> Void
        ) -> any Carrier {
            carriers.append((configuration, credentials))
            let carrier = CarrierDouble(self, report)
            current = carrier
            return carrier
        }

        func answer(_ answer: HTTPAnswer) {
            guard !open.isEmpty else { return }
            current?.report(.answered(open.removeFirst().id, answer))
        }

        func fail(_ failure: UploadFailure, _ message: String? = nil) {
            guard !open.isEmpty else { return }
            current?.report(.failed(open.removeFirst().id, failure, message: message))
        }
    }

    private let destination: Destination
    fileprivate let report: @DaemonActor (CarrierEvent) -> Void
    private var isClosed = false

    init(_ destination: Destination, _ report: @escaping @DaemonActor (CarrierEvent) -> Void) {
        self.destination = destination
        self.report = report
    }

    func send(_ transfer: Transfer) {
        destination.sent.append(transfer)
        guard let evaluate = destination.evaluate else { return destination.open.append(transfer) }
        let answer = evaluate(transfer)
        DaemonActor.post { [self] in if !isClosed { report(.answered(transfer.id, answer)) } }
    }

    func prepare(_ transfer: Transfer?) {}
    func cancel(_ id: UInt64) { destination.open.removeAll { $0.id == id } }
    func pathChanged() { destination.pathChanges += 1 }
    func connect() {}
    func disconnect() {}

    func close() {
        isClosed = true
        destination.open = []
    }
}
