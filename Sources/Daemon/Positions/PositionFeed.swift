import Authorization
import Platform
import Varlink

/// The source of a call's positions.
enum PositionFeed: Int, Comparable {
    /// The call may have no positions at present and needs no receiver.
    case none
    case reduced, full

    static func < (left: PositionFeed, right: PositionFeed) -> Bool { left.rawValue < right.rawValue }
}

/// A call that receives positions or satellites, as far as the gate allows.
@DaemonActor
protocol LocationCall: AnyObject {
    var call: Call { get }
    var session: ClientSession { get }
    /// The feed that the call needs at present.
    var feed: PositionFeed { get set }
    /// Withdraws an update that was offered but not sent yet.
    func withdraw()
}

extension Decision.Access {
    /// The feed that provides what may be delivered.
    var feed: PositionFeed {
        switch self {
        case .full: .full
        case .reduced: .reduced
        case .refused: .none
        }
    }
}

extension RecordedDecision.Access {
    /// The feed with the most accurate rows that may be sent.
    var feed: PositionFeed {
        switch self {
        case .full: .full
        case .reduced: .reduced
        case .refused: .none
        }
    }
}

extension Decision.Reason {
    /// Whether the app is still authorized and may get positions later without another decision. Its streams stay open
    /// and report the reason.
    var isPause: Bool { self == .notInUse || self == .alwaysUnconfirmed }
}
