/// Which release this is: of the daemon, the command line and the library alike.
public enum WaymarkVersion {
    /// The release, as `--version`, `GetInfo` and `Status` tell it.
    public static let text = "0.1.0"
}
