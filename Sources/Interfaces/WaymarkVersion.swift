/// The release of the daemon, the command line and the library, which are released together.
public enum WaymarkVersion {
    /// The release, in the output of `--version`, `GetInfo` and `Status`.
    public static let text = "0.1.0"
    /// The revision of the interfaces that this release implements, in the same places. Documentation/protocol.md lists
    /// the changes that raise it.
    public static let protocolNumber = 1
    /// Release and protocol, for a person.
    public static let described = describe(text, protocolNumber)

    /// Any release and its protocol, for a person.
    public static func describe(_ release: String, _ number: Int) -> String { "\(release) (protocol \(number))" }
}
