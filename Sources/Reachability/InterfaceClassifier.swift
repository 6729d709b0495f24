import NetworkPaths

/// What an interface is made of: what its driver says, else udev's DEVTYPE, else the hardware's type, else its name.
public enum InterfaceClassifier {
    /// ARPHRD_PPP.
    static let pointToPoint: UInt16 = 512

    /// Whether it leads to this machine alone: ARPHRD_LOOPBACK.
    static func isLoopback(_ link: Link) -> Bool { link.hardwareType == 772 }

    /// Whether it may have a way to others of its own: with a carrier, and no part of another interface.
    static func mayLeadOut(_ link: Link) -> Bool {
        link.isUp && link.isRunning && link.controller == nil && !isLoopback(link)
    }

    /// What this interface is made of.
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
        // IEEE 802.11, with the headers that monitors see.
        case 801...803: return .wifi
        // Packets of a modem, and Phonet's pipe.
        case 519, 821: return .cellular
        // Ethernet, which modems and radios present as well; InfiniBand.
        case 1: return kind(ofEthernet: link.name)
        case 32: return .wired
        default: return .other
        }
    }

    /// IFLA_INFO_KIND, which virtual interfaces have.
    private static func kind(ofDriver driver: String, of link: Link) -> NetworkInterface.Kind? {
        switch driver {
        case "bridge", "openvswitch": .bridge
        case "wireguard", "amneziawg", "ovpn", "ovpn-dco", "xfrm", "vti", "vti6": .vpn
        // A tunnel of addresses is a VPN; one of Ethernet frames may as well be a virtual machine's.
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
