import CommandLineKit
import Durations
import Interfaces

/// Chooses what is said about missing or inferior positions: each reason once, until it changes.
///
/// A receiver that starts has reported nothing yet, and reports a position within a second or two. Therefore what is
/// missing at the receiver is said only if no position has come within `patience` after the start of the stream.
struct PositionReasons {
    /// How long the first position of a stream may take before a reason is said.
    static let patience = Duration.seconds(3)

    private var last = ""
    /// The end of `patience`, in nanoseconds of the monotonic clock; nil if it is over.
    private var patientUntil: UInt64?
    /// The reason to say then.
    private var withheld: String?

    /// When `timePassed` has to be called, in nanoseconds of the monotonic clock; nil for never.
    var deadline: UInt64? { withheld == nil ? nil : patientUntil }

    /// Handles an update, the first one of its stream or a later one, and returns the sentences to say.
    mutating func report(_ update: LocationUpdate, isFirst: Bool, now: UInt64) -> [String] {
        var sentences: [String] = []
        if update.dropped > 0 {
            sentences.append("\(Measure.count(update.dropped, "position")) skipped: they were not read in time.")
        }
        if isFirst { patientUntil = now.after(Self.patience) }
        withheld = nil
        if update.position != nil { patientUntil = nil }
        let reason = reason(update)
        if let patientUntil, now < patientUntil, update.mayGetPositionSoon {
            withheld = reason
            return sentences
        }
        return sentences + say(reason)
    }

    /// Handles the instant of `deadline`.
    mutating func timePassed(now: UInt64) -> [String] {
        guard let deadline, let reason = withheld, now >= deadline else { return [] }
        (patientUntil, withheld) = (nil, nil)
        return say(reason)
    }

    private mutating func say(_ reason: String) -> [String] {
        defer { last = reason }
        return reason == last || reason.isEmpty ? [] : [reason]
    }

    private func reason(_ update: LocationUpdate) -> String {
        if update.position != nil, update.diagnostics.contains(.stationary) {
            return DiagnosticText.sentence([.stationary], authorization: update.authorizationStatus.rawValue)
        }
        if let position = update.position, position.accuracy == .full { return "" }
        if update.position != nil, update.diagnostics.isEmpty { return "" }
        return DiagnosticText.sentence(update.diagnostics, authorization: update.authorizationStatus.rawValue)
    }
}

extension LocationUpdate {
    /// Whether only the receiver lacks something, and not the permission.
    fileprivate var mayGetPositionSoon: Bool {
        guard position == nil else { return false }
        if diagnostics.isEmpty { return authorizationStatus != .notDetermined }
        return diagnostics.contains(where: DiagnosticText.isAboutReceiver)
    }
}
