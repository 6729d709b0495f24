import Authorization
import Platform
import Varlink

/// Where the positions of a call come from.
enum PositionFeed: Int, Comparable {
    /// It may have none now, and needs no receiver.
    case none
    case reduced, full

    static func < (left: PositionFeed, right: PositionFeed) -> Bool { left.rawValue < right.rawValue }
}

/// A call that gets positions or satellites, now or later, as far as the gate lets them through.
@DaemonActor
protocol LocationCall: AnyObject {
    var call: Call { get }
    var session: ClientSession { get }
    /// What it needs at present.
    var feed: PositionFeed { get set }
    /// Takes back what was offered and not sent yet.
    func withdraw()
}

extension Decision.Access {
    /// Where what may be delivered comes from.
    var feed: PositionFeed {
        switch self {
        case .full: .full
        case .reduced: .reduced
        case .refused: .none
        }
    }
}

extension RecordedDecision.Access {
    /// The most exact rows that may leave.
    var feed: PositionFeed {
        switch self {
        case .full: .full
        case .reduced: .reduced
        case .refused: .none
        }
    }
}

extension Decision.Reason {
    /// Whether the app is authorized all the same and may have positions later without anybody deciding anything: its
    /// streams stay open, and tell why.
    var isPause: Bool { self == .notInUse || self == .alwaysUnconfirmed }
}
