import CWaymark
import Interfaces

/// The bits of `enum waymark_diagnostic`.
enum DiagnosticBits {
    private static let table: [(LocationDiagnostic, waymark_diagnostic)] = [
        (.authorizationDenied, WAYMARK_DIAGNOSTIC_DENIED),
        (.authorizationDeniedGlobally, WAYMARK_DIAGNOSTIC_DENIED_GLOBALLY),
        (.authorizationRestricted, WAYMARK_DIAGNOSTIC_RESTRICTED),
        (.insufficientlyInUse, WAYMARK_DIAGNOSTIC_NOT_IN_USE),
        (.authorizationRequestInProgress, WAYMARK_DIAGNOSTIC_REQUEST_IN_PROGRESS),
        (.accuracyLimited, WAYMARK_DIAGNOSTIC_ACCURACY_LIMITED),
        (.locationUnavailable, WAYMARK_DIAGNOSTIC_LOCATION_UNAVAILABLE),
        (.stationary, WAYMARK_DIAGNOSTIC_STATIONARY),
        (.fullAccuracyDenied, WAYMARK_DIAGNOSTIC_FULL_ACCURACY_DENIED),
        (.alwaysAuthorizationDenied, WAYMARK_DIAGNOSTIC_ALWAYS_DENIED),
        (.agentUnavailable, WAYMARK_DIAGNOSTIC_AGENT_UNAVAILABLE),
        (.manifestMissing, WAYMARK_DIAGNOSTIC_MANIFEST_MISSING),
        (.noReceiver, WAYMARK_DIAGNOSTIC_NO_RECEIVER),
        (.receiverLost, WAYMARK_DIAGNOSTIC_RECEIVER_LOST),
        (.noFix, WAYMARK_DIAGNOSTIC_NO_FIX),
        (.noTime, WAYMARK_DIAGNOSTIC_NO_TIME),
        (.stale, WAYMARK_DIAGNOSTIC_STALE),
        (.inaccurate, WAYMARK_DIAGNOSTIC_INACCURATE),
        (.reducedUnavailable, WAYMARK_DIAGNOSTIC_REDUCED_UNAVAILABLE),
    ]

    /// The bits of words; those of a later release have none.
    static func bits(of words: [LocationDiagnostic]) -> UInt64 {
        words.reduce(0) { bits, word in
            bits | UInt64(table.first { $0.0 == word }?.1.rawValue ?? 0)
        }
    }
}
