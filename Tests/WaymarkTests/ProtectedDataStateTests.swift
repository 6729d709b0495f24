import Interfaces
import Testing

@testable import Waymark

/// The state of protected data, as it is read from replies.
@Suite struct ProtectedDataStateTests {
    private let now = SuspendingClock.now

    private func state(_ isAvailable: Bool, _ seconds: Double? = nil, after passed: Duration = .zero) -> ProtectedData {
        ProtectedData(
            ProtectionInterface.Monitor.Reply(isProtectedDataAvailable: isAvailable, becomesUnavailableIn: seconds),
            receivedAt: now.advanced(by: passed))
    }

    @Test func `a reply is a state, and data that is about to be locked is available`() {
        #expect(state(true) == .available && state(false) == .unavailable)
        #expect(state(true, 7.5) == .becomingUnavailable(at: now.advanced(by: .seconds(7.5))))
        #expect(state(true).isAvailable && state(true, 7.5).isAvailable && !state(false).isAvailable)
        #expect(state(false, 3) == .unavailable, "a time that remains makes nothing available")
    }

    @Test(arguments: [(-1.0, 0.0), (-.greatestFiniteMagnitude, 0), (.greatestFiniteMagnitude, 1e6), (.infinity, 1e6)])
    func `a number that no daemon sends does not end the program`(_ sent: Double, _ used: Double) {
        #expect(state(true, sent) == .becomingUnavailable(at: now.advanced(by: .seconds(used))))
    }

    @Test func `one announcement that is reported twice is repeated, and the next one is not`() {
        let announced = state(true, 10)
        #expect(state(true, 6.9, after: .seconds(3)).isRepetition(of: announced))
        #expect(state(true, 7.1, after: .seconds(3)).isRepetition(of: announced))
        #expect(!state(true, 10, after: .seconds(3)).isRepetition(of: announced))
        #expect(!announced.isRepetition(of: .available) && !ProtectedData.unavailable.isRepetition(of: announced))
        #expect(ProtectedData.available.isRepetition(of: .available))
    }
}
