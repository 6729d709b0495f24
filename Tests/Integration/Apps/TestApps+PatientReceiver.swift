import TestSupport

extension TestApps {
    /// Settings of a receiver whose pauses on a busy machine have no effect: its last position remains the present one,
    /// and it stays connected while no app needs it.
    static let patientReceiver = "[Receiver]\nStaleAfter=1h\nReleaseAfter=1h\n"
}
