import CLinux
import CSystemd
import Glibc

/// Communication with systemd: readiness, status, and passed sockets. Without systemd the calls have no effect.
public enum ServiceManager {
    /// A change of state, reported by sd_notify(3).
    public enum State: Equatable, Sendable {
        case ready(status: String)
        case reloading
        case stopping(status: String)
        case status(String)
    }

    /// Notifies systemd, if it started this process with `Type=notify`.
    public static func notify(_ state: State, clock: some TimeSource = SystemClock()) {
        let text =
            switch state {
            case .ready(let status): "READY=1\nSTATUS=\(oneLine(status))"
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(clock.monotonicNanoseconds / 1_000)"
            case .stopping(let status): "STOPPING=1\nSTATUS=\(oneLine(status))"
            case .status(let status): "STATUS=\(oneLine(status))"
            }
        let result = sd_notify(0, text)
        if result < 0 { Log.debug("systemd was not notified: \(SystemError.text(-result))") }
    }

    /// Waits until systemd has processed all earlier notifications, at most this many seconds, sd_notify_barrier(3).
    /// systemd may ignore notifications of a process that has already exited when it reads them.
    public static func waitUntilHandled(seconds: Double) {
        let result = sd_notify_barrier(0, UInt64(seconds * 1e6))
        if result < 0 { Log.debug("systemd may not have handled everything: \(SystemError.text(-result))") }
    }

    /// The listening sockets that systemd passed, sd_listen_fds_with_names(3), each with its name from
    /// `FileDescriptorName=`. To be called once: the environment is cleared, and the caller owns the descriptors.
    public static func receiveListeningSockets() throws(SystemError) -> [(number: Int32, name: String)] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        if count < 0 { throw SystemError("take over the sockets of systemd", code: -count) }
        guard count > 0, let names else { return [] }
        defer { free(names) }
        var sockets: [(number: Int32, name: String)] = []
        for index in 0..<Int(count) {
            let number = Int32(SD_LISTEN_FDS_START) + Int32(index)
            let name = names[index].map { String(cString: $0) } ?? ""
            free(names[index])
            sockets.append((number, name))
        }
        return sockets
    }

    /// Whether a descriptor is a listening stream socket of the Unix family, sd_is_socket(3).
    public static func isListeningUnixStream(_ number: Int32) -> Bool {
        sd_is_socket(number, AF_UNIX, Int32(SOCK_STREAM.rawValue), 1) > 0
    }

    /// Whether a descriptor is a connected stream socket of the Unix family.
    public static func isUnixStream(_ number: Int32) -> Bool {
        sd_is_socket(number, AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) > 0
    }

    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
