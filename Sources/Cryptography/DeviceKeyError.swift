import Platform

/// The reason why there is no device key.
public enum DeviceKeyError: Error, Equatable, CustomStringConvertible {
    /// A call into the system failed.
    case system(SystemError)
    /// libsodium could not start, sodium_init(3).
    case noRandomness

    /// The failed operation, for people.
    public var description: String {
        switch self {
        case .system(let error): error.description
        case .noRandomness: "start libsodium: the system provides no random numbers"
        }
    }
}
