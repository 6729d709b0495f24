import Platform
import Upload

@testable import UploadService

/// A destination without a network: it answers as a test says.
@DaemonActor
final class CarrierDouble: Carrier {
    /// What has come of all carriers of one test.
    @DaemonActor final class Destination {
        /// Every transfer that was sent, in order.
        var sent: [Transfer] = []
        /// Those that are neither answered nor cancelled.
        var open: [Transfer] = []
        /// Answers to be given at once; nil for a destination that is silent.
        var evaluate: ((Transfer) -> HTTPAnswer)? = { _ in
            HTTPAnswer(status: 200, body: Array(#"{"result":"ok"}"#.utf8))
        }
        /// How often somebody was made to carry, and with what.
        var carriers: [(UploadConfiguration, Credentials)] = []
        /// The one that there is.
        weak var current: CarrierDouble?
        /// How often kept connections were no longer to be used.
        var pathChanges = 0

        nonisolated init() {}

        /// The numbers of everything that was sent in its turn.
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
