/// The address of a private gpsd.
public enum GPSDPlace: Equatable, Sendable {
    /// A TCP port of 127.0.0.1, which every user of the machine can connect to.
    case port(UInt16)
    /// A Unix socket, to which every user with access to its folder can connect.
    case socket(path: String)
    /// A socket that was handed over, whose path is not known here.
    case handedOver

    /// The notation of `GPSD=` and `--gpsd`.
    public var address: String {
        switch self {
        case .port(let port): "127.0.0.1:\(port)"
        case .socket(let path): "unix:\(path)"
        case .handedOver: ""
        }
    }
}
