/// Why there is no position at present.
enum PositionUnavailable: String, CaseIterable, Equatable {
    /// No receiver is configured, or gpsd has none.
    case noReceiver
    /// gpsd cannot be reached, or its receiver was disconnected.
    case receiverLost
    /// The receiver sends reports without a fix.
    case noFix
    /// The receiver reports positions without a date.
    case noTime
    /// The receiver sends no reports any more.
    case stale
    /// There is a position, but it is less accurate than requested.
    case inaccurate
    /// Reduced positions cannot be made because there is no device key.
    case reducedUnavailable

    /// A sentence for a person, with the next step.
    var message: String {
        switch self {
        case .noReceiver: "There is no receiver. Connect one, and run `waymark doctor`."
        case .receiverLost: "gpsd or its receiver cannot be reached. Run `waymark doctor`."
        case .noFix: "The receiver has no fix yet. Give its antenna a view of the sky."
        case .noTime: "The receiver reports a position without the date. Run `waymark doctor`."
        case .stale: "The receiver sends no reports any more. Run `waymark doctor`."
        case .inaccurate: "The present position is less accurate than requested."
        case .reducedUnavailable: "Reduced positions are unavailable on this machine. Run `waymark status`."
        }
    }
}
