/// What gpsd says of itself when a client connects: class `VERSION` of gpsd_json(5).
public struct ProtocolVersion: Equatable, Sendable {
    /// The release of gpsd, such as 3.22.
    public var release: String
    /// The protocol's major version: another one is another language.
    public var major: Int
    /// The protocol's minor version: it grows with additions that old clients may ignore.
    public var minor: Int

    /// A version of these parts.
    public init(release: String = "", major: Int, minor: Int) {
        self.release = release
        self.major = major
        self.minor = minor
    }

    /// The major version that is spoken here.
    public static let spokenMajor = 3
}
