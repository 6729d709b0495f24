import CommandLineKit
import Interfaces

/// Prints the reason for a missing or inferior position once, until it changes.
struct PositionReasons {
    private var last = ""

    /// Handles an update, and prints a new reason.
    mutating func report(_ update: LocationUpdate, _ remarks: Remarks) {
        if update.dropped > 0 {
            remarks.say("\(Measure.count(update.dropped, "position")) skipped: they were not read in time.")
        }
        let reason = reason(update)
        if reason != last, !reason.isEmpty { remarks.say(reason) }
        last = reason
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
