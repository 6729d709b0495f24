/// Which release this is: of the daemon, the command line and the library alike.
public enum WaymarkVersion {
    /// The release, as `--version`, `GetInfo` and `Status` tell it.
    public static let text = "0.1.0"
    /// Which state of the interfaces this release speaks, as the same tell it; Documentation/protocol.md says what
    /// raises it. Daemons that tell none speak the first.
    public static let protocolNumber = 2
    /// Release and protocol, for a person.
    public static let described = describe(text, protocolNumber)

    /// Any release and its protocol, for a person.
    public static func describe(_ release: String, _ number: Int) -> String { "\(release) (protocol \(number))" }
}
