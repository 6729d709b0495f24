import Glibc

/// Which release this is.
public enum DaemonVersion {
    /// The release.
    public static let text = "0.1.0"

    /// The daemon's process.
    static var processID: Int32 { getpid() }
}
