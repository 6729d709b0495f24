/// gpsd's information about itself at the start of a connection: class `VERSION` of gpsd_json(5).
public struct ProtocolVersion: Equatable, Sendable {
    /// The release of gpsd, such as 3.22.
    public var release: String
    /// The major version of the protocol; others are incompatible.
    public var major: Int
    /// The minor version of the protocol, which increases with compatible additions.
    public var minor: Int

    /// A version of these parts.
    public init(release: String = "", major: Int, minor: Int) {
        self.release = release
        self.major = major
        self.minor = minor
    }

    /// The supported major version.
    public static let spokenMajor = 3
}
