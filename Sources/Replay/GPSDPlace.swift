/// Where a private gpsd serves its clients.
public enum GPSDPlace: Equatable, Sendable {
    /// A TCP port of 127.0.0.1, which every user of the machine can connect to.
    case port(UInt16)
    /// A Unix socket, which whoever may enter its folder can connect to.
    case socket(path: String)

    /// As `GPSD=` and `--gpsd` take it.
    public var address: String {
        switch self {
        case .port(let port): "127.0.0.1:\(port)"
        case .socket(let path): "unix:\(path)"
        }
    }
}
