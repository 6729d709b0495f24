/// How reliably an app's identity is verified, weakest first.
public enum Assurance: String, CaseIterable, Comparable, Sendable {
    /// The uid and the path of the executable: checked again on each connection.
    case program
    /// The uid and a user unit or `app-*` scope: other programs of that uid could impersonate it.
    case user
    /// A system service, from the cgroup.
    case unit
    /// A listening socket of the app's own.
    case socket

    /// Whether one is weaker than the other.
    public static func < (left: Assurance, right: Assurance) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .program: 0
        case .user: 1
        case .unit: 2
        case .socket: 3
        }
    }
}
