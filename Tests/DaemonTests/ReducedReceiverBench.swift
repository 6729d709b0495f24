import Location
import Platform
import TestSupport
import Testing
import Tracking

@testable import Daemon

/// A reduced receiver on a real directory. Its clock is set by the test, far from the system's, so that the timer fires
/// only when the test calls for it.
@DaemonActor
final class ReducedReceiverBench {
    let clock: ManualClock
    let receiver: ReducedReceiver
    var needed: Int { source.needed }
    private(set) var shown: [ReducedFix] = []
    private(set) var reported: [PositionUnavailable] = []
    var hopeless: PositionUnavailable? {
        get { source.hopeless }
        set { source.hopeless = newValue }
    }
    var whenShown: @DaemonActor () -> Void = {}

    private let source = Source()

    private final class Source: FixSource {
        var needed = 0
        var hopeless: PositionUnavailable?
        func need() { needed += 1 }
        func release() { needed -= 1 }
    }

    nonisolated static let noon: Int64 = 1_795_262_400_000_000

    init(_ directory: String, clock: ManualClock) throws {
        self.clock = clock
        let changes = Changes()
        receiver = try ReducedReceiver(
            directory: directory, changes: changes, clock: clock, source: source)
        changes.react = { [weak self] in self?.react(to: $0) }
    }

    private func react(to change: Change) {
        switch change {
        case .reducedFix(let reduced):
            shown.append(reduced)
            whenShown()
        case .positionUnavailable(let reason, .reduced): reported.append(reason)
        default: break
        }
    }

    /// A clock at noon.
    nonisolated static func clock() -> ManualClock { ManualClock(monotonicNanoseconds: 1 << 60, utcMicroseconds: noon) }

    func fix(_ latitude: Double = 54.5) throws -> Fix {
        Fix(
            time: UTCTime(microseconds: clock.utcMicroseconds), receivedAt: clock.monotonicNanoseconds,
            coordinate: try #require(Coordinate(latitude: latitude, longitude: 3.25)), horizontalAccuracy: 4)
    }

    /// Opens it with a client that needs it, and waits until the key is loaded.
    func begin() async throws {
        receiver.need()
        receiver.open()
        let isDone = try await eventually { () async throws -> Bool in needed == 1 || receiver.timerDeadline != nil }
        try #require(isDone)
    }

    /// Advances the time until the timer fires and its state is saved.
    func passTime() async throws {
        let instant = try #require(receiver.timerDeadline)
        clock.advance(seconds: Double(instant - clock.monotonicNanoseconds) / 1e9)
        receiver.timerFired()
        let isDone = try await eventually { () async throws -> Bool in !receiver.isSaving }
        try #require(isDone)
    }

    /// Delivers a fix that is due, and lets it be shown at the end of its minute.
    func show(_ latitude: Double = 54.5) async throws -> ReducedFix {
        receiver.receive(try fix(latitude))
        try await passTime()
        return try #require(shown.last)
    }
}
