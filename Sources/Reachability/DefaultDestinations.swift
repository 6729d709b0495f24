import NetworkPaths

/// The destinations that stand for the rest of the world. The kernel is asked how it would send to them; nothing is ever
/// sent.
///
/// They are two in each family, one in each half of what is in use, as VPNs put two halves before the default route:
/// 0.0.0.0/1 and 128.0.0.0/1, or 2000::/4 and 3000::/4. All are public unicast addresses, no name server's and in no block
/// that is set apart (RFC 6890), which some networks route for themselves.
public enum DefaultDestinations {
    /// One in the lower half, one in the upper half.
    public static func of(_ family: IPAddress.Family) -> [IPAddress] {
        family == .ipv4 ? ipv4 : ipv6
    }

    private static let ipv4 = ["12.0.0.1", "193.0.0.1"].compactMap { IPAddress($0) }
    private static let ipv6 = ["2600::1", "3000::1"].compactMap { IPAddress($0) }
}
