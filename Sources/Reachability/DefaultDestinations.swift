import NetworkPaths

/// The destinations that represent the rest of the world. The kernel is queried how it would send to them; nothing is
/// ever sent.
///
/// There are two in each family, one in each half of the address space in use, because VPNs install two half-size
/// routes that override the default route: 0.0.0.0/1 and 128.0.0.0/1, or 2000::/4 and 3000::/4. All are public unicast
/// addresses. None is a name server's or lies in a special-purpose block (RFC 6890), because some networks route those
/// separately.
public enum DefaultDestinations {
    /// One address in the lower half, one in the upper half.
    public static func of(_ family: IPAddress.Family) -> [IPAddress] {
        family == .ipv4 ? ipv4 : ipv6
    }

    private static let ipv4 = ["12.0.0.1", "193.0.0.1"].compactMap { IPAddress($0) }
    private static let ipv6 = ["2600::1", "3000::1"].compactMap { IPAddress($0) }
}
