import Glibc

/// An IPv4 or IPv6 address, inet_pton(3).
public struct InternetAddress: Equatable, Sendable, CustomStringConvertible {
    /// As it was written.
    public let description: String
    /// Whether it is of IPv6.
    public let isVersion6: Bool

    private let bytes: [UInt8]

    /// This machine's own addresses, version 6 first.
    public static let loopback: [InternetAddress] = ["::1", "127.0.0.1"].compactMap { InternetAddress($0) }

    /// The address that is written so; nil for a name.
    public init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            isVersion6 = false
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            isVersion6 = true
            self.bytes = bytes
        } else {
            return nil
        }
        description = text
    }

    /// Calls back with the socket address of a port here.
    func withSocketAddress<Result>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        if isVersion6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            return withBytes(of: &address, body)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
        return withBytes(of: &address, body)
    }

    private func withBytes<Address, Result>(
        of address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: &address) { pointer in
            // Each kind of socket address begins as sockaddr does, and its own length goes with it.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
