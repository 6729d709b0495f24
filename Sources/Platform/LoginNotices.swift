import Glibc

/// Notices of logind that something about a user's sessions may have changed, for a thread that waits for them.
public final class LoginNotices {
    private let monitor: LoginMonitor

    /// Nil if there is no logind.
    public init?() {
        guard let monitor = LoginMonitor() else { return nil }
        self.monitor = monitor
    }

    /// The descriptor to wait for.
    public var number: Int32 { monitor.descriptor }
    /// The events of poll(2) to wait for.
    public var events: Int32 { Int32(bitPattern: monitor.events) }

    /// Makes it unreadable again.
    public func clear() { monitor.flush() }

    /// Whether a user is present; `unknown` without logind.
    public static func activity(of uid: uid_t) -> UserActivity {
        access(LoginSessions.seat, F_OK) == 0 ? LoginSessions.state(of: uid) : .unknown
    }
}
