/// Why there is no position now.
enum PositionUnavailable: String, CaseIterable, Equatable {
    /// No receiver is configured, or gpsd has none.
    case noReceiver
    /// gpsd cannot be reached, or its receiver has gone.
    case receiverLost
    /// The receiver reports, and has no fix.
    case noFix
    /// The receiver reports positions, and no date.
    case noTime
    /// The receiver has fallen silent.
    case stale
    /// There is a position, and it is not as exact as asked for.
    case inaccurate
    /// Reduced positions cannot be made: there is no device key.
    case reducedUnavailable

    /// A sentence for a person, with what to do.
    var message: String {
        switch self {
        case .noReceiver: "There is no receiver. Connect one, and run `waymark doctor`."
        case .receiverLost: "gpsd or its receiver cannot be reached. Run `waymark doctor`."
        case .noFix: "The receiver has no fix yet. Give its antenna a view of the sky."
        case .noTime: "The receiver reports where it is, and not the date. Run `waymark doctor`."
        case .stale: "The receiver has fallen silent. Run `waymark doctor`."
        case .inaccurate: "The present position is less exact than was asked for."
        case .reducedUnavailable: "Reduced positions cannot be made on this machine now. Run `waymark status`."
        }
    }
}
