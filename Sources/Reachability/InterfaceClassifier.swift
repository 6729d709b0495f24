import NetworkPaths

/// Classifies interfaces: by the driver, otherwise by udev's DEVTYPE, the hardware type, or the name, in this order.
public enum InterfaceClassifier {
    /// ARPHRD_PPP.
    static let pointToPoint: UInt16 = 512

    /// Whether it leads only to this machine: ARPHRD_LOOPBACK.
    static func isLoopback(_ link: Link) -> Bool { link.hardwareType == 772 }

    /// Whether it may have routes to other machines of its own: with a carrier, and not a port of another interface.
    static func mayLeadOut(_ link: Link) -> Bool {
        link.isUp && link.isRunning && link.controller == nil && !isLoopback(link)
    }

    /// The kind of this interface.
    public static func kind(of link: Link) -> NetworkInterface.Kind {
        if isLoopback(link) { return .loopback }
        if let driver = link.virtualKind, let kind = kind(ofDriver: driver, of: link) { return kind }
        switch link.deviceType {
        case "wlan": return .wifi
        case "wwan": return .cellular
        case "bridge": return .bridge
        case "wireguard": return .vpn
        case "bond", "vlan", "dsa", "gadget": return .wired
        case "ppp", "vxlan", "geneve", "bluetooth": return .other
        default: break
        }
        switch link.hardwareType {
        // IEEE 802.11, including monitor interfaces with their headers.
        case 801...803: return .wifi
        // A modem's raw packets, and Phonet pipes.
        case 519, 821: return .cellular
        // Ethernet, which modems and radios also present; InfiniBand.
        case 1: return kind(ofEthernet: link.name)
        case 32: return .wired
        default: return .other
        }
    }

    /// By IFLA_INFO_KIND, which virtual interfaces have.
    private static func kind(ofDriver driver: String, of link: Link) -> NetworkInterface.Kind? {
        switch driver {
        case "bridge", "openvswitch": .bridge
        case "wireguard", "amneziawg", "ovpn", "ovpn-dco", "xfrm", "vti", "vti6": .vpn
        // A tunnel of IP packets is a VPN; a tunnel of Ethernet frames may also belong to a virtual machine.
        case "tun": link.hardwareType == 1 ? nameSuggestsWire(link.name) ? .wired : .other : .vpn
        case "wwan", "rmnet": .cellular
        case "virt_wifi": .wifi
        case "veth", "vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "bond", "team", "hsr", "dsa", "ipoib",
            "failover",
            "net_failover":
            .wired
        case "dummy", "ifb", "vrf", "nlmon", "vxlan", "geneve", "gre", "gretap", "ip6gre", "ip6gretap", "erspan",
            "ip6erspan", "ipip", "ip6tnl", "sit", "ppp", "vcan", "vxcan", "can", "batadv", "lowpan", "netdevsim",
            "bareudp",
            "gtp":
            .other
        default: nil
        }
    }

    /// By systemd's prefixes, systemd.net-naming-scheme(7): `wl` for wireless networks, `ww` for modems.
    private static func kind(ofEthernet name: String) -> NetworkInterface.Kind {
        if name.hasPrefix("wl") { return .wifi }
        return name.hasPrefix("ww") ? .cellular : .wired
    }

    private static func nameSuggestsWire(_ name: String) -> Bool {
        name.hasPrefix("en") || name.hasPrefix("eth")
    }
}
