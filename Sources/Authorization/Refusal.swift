import Location

/// Why a requester gets nothing.
public enum Refusal: Error, Equatable, Sendable {
    /// Nobody has decided yet whether it may have positions.
    case notDetermined

    /// A sentence for a person, with what to do.
    public var message: String {
        switch self {
        case .notDetermined:
            "This program may not have positions: nobody has allowed it. "
                + "Run it as root or as a member of the operators' group."
        }
    }
}
