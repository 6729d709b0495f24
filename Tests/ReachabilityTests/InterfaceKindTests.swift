import NetworkPaths
import Reachability
import Testing

struct InterfaceKindTests {
    private static let kinds: [(String, UInt16, String?, String?, NetworkInterface.Kind)] = [
        // Name, ARPHRD, IFLA_INFO_KIND, DEVTYPE.
        ("lo", 772, nil, nil, .loopback),
        ("eth0", 1, nil, nil, .wired),
        ("enp3s0", 1, nil, nil, .wired),
        ("usb0", 1, nil, "gadget", .wired),
        ("eth0", 1, "veth", nil, .wired),
        ("bond0", 1, "bond", "bond", .wired),
        ("eth0.7", 1, "vlan", "vlan", .wired),
        ("ib0", 32, "ipoib", nil, .wired),
        ("wlan0", 1, nil, "wlan", .wifi),
        ("home", 1, nil, "wlan", .wifi),
        ("wlp2s0", 1, nil, nil, .wifi),
        ("mon0", 803, nil, nil, .wifi),
        ("wwan0", 1, nil, "wwan", .cellular),
        ("wwp0s20", 1, nil, nil, .cellular),
        ("rmnet0", 519, nil, nil, .cellular),
        ("mhi0", 65_534, "wwan", nil, .cellular),
        ("br0", 1, "bridge", "bridge", .bridge),
        ("wg0", 65_534, "wireguard", "wireguard", .vpn),
        ("tun0", 65_534, "tun", nil, .vpn),
        ("ipsec0", 65_534, "xfrm", nil, .vpn),
        ("tap0", 1, "tun", nil, .other),
        ("eth0", 1, "tun", nil, .wired),
        ("ppp0", 512, "ppp", "ppp", .other),
        ("dummy0", 1, "dummy", nil, .other),
        ("sit0", 776, "sit", nil, .other),
        ("vxlan1", 1, "vxlan", "vxlan", .other),
        ("can0", 280, nil, nil, .other),
    ]

    @Test(arguments: kinds)
    func `an interface is classified by driver, type and name`(
        name: String, type: UInt16, driver: String?, device: String?, kind: NetworkInterface.Kind
    ) {
        let link = Link(
            index: 2, name: name, hardwareType: type, virtualKind: driver, deviceType: device, isUp: true,
            isRunning: true)
        #expect(InterfaceClassifier.kind(of: link) == kind)
    }

    private func isExpensive(_ costs: CostPolicy, _ name: String, _ type: UInt16 = 1, _ device: String? = nil) -> Bool {
        costs.describe(
            Link(index: 2, name: name, hardwareType: type, deviceType: device, isUp: true, isRunning: true)
        ).isExpensive
    }

    @Test func `the cost is as configured, otherwise as NetworkManager reports, otherwise by cellular or ppp`() {
        var costs = CostPolicy(expensive: [NamePattern("usb*")])
        #expect(isExpensive(costs, "usb0"))
        #expect(!isExpensive(costs, "eth0"))
        #expect(isExpensive(costs, "wwan0", 1, "wwan"))
        #expect(isExpensive(costs, "ppp0", 512))
        costs.metered = ["wwan0": false, "wlan0": true, "usb0": false]
        #expect(!isExpensive(costs, "wwan0", 1, "wwan"))
        #expect(isExpensive(costs, "wlan0", 1, "wlan"))
        #expect(isExpensive(costs, "usb0"))
        #expect(isExpensive(costs, "ppp0", 512))
    }

    @Test func `interfaces are constrained as configured`() {
        let costs = CostPolicy(constrained: [NamePattern("sat?")], ultraConstrained: [NamePattern("sat9")])
        let interfaces = ["sat1", "sat9", "sat10"].map {
            costs.describe(Link(index: 2, name: $0, isUp: true, isRunning: true))
        }
        #expect(interfaces.map(\.isConstrained) == [true, true, false])
        #expect(interfaces.map(\.isUltraConstrained) == [false, true, false])
    }

    @Test(arguments: [
        ("wwan*", "wwan0", true), ("wwan*", "wwan", true), ("wwan*", "wlan0", false), ("usb?", "usb0", true),
        ("usb?", "usb10", false), ("*", "", true), ("", "", true), ("", "a", false), ("*0", "eth0", true),
        ("*0", "eth01", false), ("e*h*0", "eth0", true), ("e*h*0", "ehhh10", true), ("e*h*0", "eh01", false),
        ("eth0", "eth0", true), ("eth0", "eth00", false), ("**", "x", true), ("?*", "", false),
    ])
    func `a pattern matches with stars and question marks`(pattern: String, name: String, fits: Bool) {
        #expect(NamePattern(pattern).fits(name) == fits)
    }
}
