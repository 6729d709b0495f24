import CSystemd
import Glibc

/// Whether a user is present at the machine, according to logind.
public enum UserActivity: Equatable, Sendable {
    /// In the foreground, at a seat or terminal.
    case active
    /// Not active, with logind's state: `online`, `lingering`, `closing`, `opening`, `offline`.
    case absent(String)
    /// Unknown, because there is no logind. The activity that a program declares is used instead.
    case unknown
}

/// Provides which users are active.
@DaemonActor
public protocol SessionActivity: AnyObject {
    /// The present activity of this user.
    func activity(of uid: uid_t) -> UserActivity
    /// Whether this user has an active session at a seat of this machine; false if that is unknown.
    func isPresent(_ uid: uid_t) -> Bool
    /// Called when the result for a user may have changed.
    var onChange: (@DaemonActor () -> Void)? { get set }
}

/// The users' activity according to logind, sd-login(3).
@DaemonActor
public final class LoginSessions: SessionActivity {
    /// Logind's folder with the state of users.
    nonisolated static let folder = "/run/systemd/users"

    /// A file that logind writes as soon as it runs, because this seat always exists. The folders around it also exist
    /// where logind is only installed, as in a container.
    nonisolated static let seat = "/run/systemd/seats/seat0"

    /// Called when the result for a user may have changed.
    public var onChange: (@DaemonActor () -> Void)?
    private var monitor: LoginMonitor?
    private var source: IOSource?
    /// Watches for a logind that starts later.
    private var arrival: DirectoryWatcher?

    /// Watches logind, as soon as it runs.
    public init() throws(SystemError) {
        try connect()
        guard monitor == nil else { return }
        arrival = try DirectoryWatcher([Self.folder, "/run/systemd/seats"]) { [weak self] _ in self?.logindArrived() }
        // logind may have started before the watcher existed.
        try connect()
    }

    /// Whether logind can be queried.
    public var isAvailable: Bool { monitor != nil }

    /// The state of sd_uid_get_state(3); `unknown` without logind.
    public func activity(of uid: uid_t) -> UserActivity {
        monitor == nil ? .unknown : Self.state(of: uid)
    }

    /// Whether the user has an active session in logind that is local, at a seat, and of class `user`.
    ///
    /// A service account has none, whatever it runs. Neither has a login over the network, a lingering user's manager,
    /// or a cron job. `su` and `sudo` begin no session at a seat for the account to which they change.
    public func isPresent(_ uid: uid_t) -> Bool { monitor != nil && Self.isAtSeat(uid) }

    /// Stops watching.
    public func cancel() {
        source?.cancel()
        source = nil
        arrival?.cancel()
        arrival = nil
    }

    // Before the monitor's descriptor is closed, and on the loop's thread.
    isolated deinit {
        cancel()
    }

    private func logindArrived() {
        do throws(SystemError) { try connect() } catch {
            Log.error("logind is there and cannot be watched: \(error)")
        }
        if monitor != nil { onChange?() }
    }

    private func connect() throws(SystemError) {
        guard monitor == nil, access(Self.seat, F_OK) == 0, let monitor = LoginMonitor() else { return }
        source = try IOSource(monitor.descriptor, IOEvents(rawValue: monitor.events)) { [weak self] _ in
            self?.monitor?.flush()
            self?.onChange?()
        }
        self.monitor = monitor
        arrival?.cancel()
        arrival = nil
    }

    nonisolated static func state(of uid: uid_t) -> UserActivity {
        var text: UnsafeMutablePointer<CChar>?
        let status = sd_uid_get_state(uid, &text)
        // For a user without a record libsystemd returns "offline". An error concerns the record.
        guard status >= 0, let text else { return .absent("offline") }
        defer { free(text) }
        let state = String(cString: text)
        return state == "active" ? .active : .absent(state)
    }

    /// sd_uid_get_sessions(3), and for each session sd_session_is_remote(3), sd_session_get_seat(3) and
    /// sd_session_get_class(3).
    nonisolated static func isAtSeat(_ uid: uid_t) -> Bool {
        var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_uid_get_sessions(uid, 1, &list)
        guard let list else { return false }
        let sessions = (0..<max(0, Int(count))).compactMap { list[$0] }
        defer {
            for session in sessions { free(session) }
            free(list)
        }
        return sessions.contains { session in
            guard sd_session_is_remote(session) == 0, text({ sd_session_get_class(session, $0) }) == "user" else {
                return false
            }
            return text { sd_session_get_seat(session, $0) }?.isEmpty == false
        }
    }

    /// A string that libsystemd allocates; nil if there is none.
    nonisolated private static func text(
        _ read: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard read(&text) >= 0, let text else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}

/// An sd_login_monitor of users, released with its owner. It owns its descriptor.
final class LoginMonitor {
    private let handle: OpaquePointer

    /// Nil if there is no logind.
    init?() {
        var handle: OpaquePointer?
        guard sd_login_monitor_new("uid", &handle) >= 0, let handle else { return nil }
        self.handle = handle
    }

    var descriptor: Int32 { sd_login_monitor_get_fd(handle) }
    var events: UInt32 { UInt32(bitPattern: sd_login_monitor_get_events(handle)) }

    func flush() { sd_login_monitor_flush(handle) }

    deinit {
        sd_login_monitor_unref(handle)
    }
}
