import CommandLineKit
import NetworkPaths

/// The reason why a network or a host cannot be reached, and the advice, in words.
struct ReasonText {
    let reason: UnreachableReason
    /// The router, if it is known.
    var gateway: String?
    /// The interface's name, if it is known.
    var interface: String?
    /// The host of the query.
    var host: String?

    /// Part of a sentence, after a colon.
    var clause: String {
        let interface = interface.map { "the interface \($0)" } ?? "the route's interface"
        return switch reason {
        case .noRoute: "no route leads there"
        case .unreachableRoute: "a route says that it is unreachable"
        case .prohibited: "a rule or a route forbids it"
        case .blackhole: "a route discards the packets"
        case .noCarrier: "\(interface) has no carrier"
        case .noAddress: "\(interface) has no address to send from"
        case .addressTentative: "the address of \(interface) is not ready yet"
        case .costUnknown: "whether sending over \(interface) costs money is not known yet"
        case .gatewayNotAnswering: "the router\(gateway.map { " \($0)" } ?? "") does not respond"
        case .nameNotFound: "there is no such name"
        case .nameServerNotAnswering: "no name server responds"
        case .resolving: "the name is being resolved"
        case .kernelNotAnswering: "the kernel did not reply"
        }
    }

    /// The advice.
    var advice: String {
        let interface = interface.map { " \($0)" } ?? ""
        return switch reason {
        case .noRoute:
            "Connect to a network that leads there: a cable, Wi-Fi, a modem or a VPN. `ip route` and `ip -6 route` show"
                + " where routes lead now."
        case .unreachableRoute:
            "Another program set that route, often a VPN that is not connected: `ip route show table all type"
                + " unreachable` finds it."
        case .prohibited:
            "Another program set that, often a VPN that forbids other routes: `ip rule` and `ip route show table all"
                + " type prohibit` find it."
        case .blackhole: "Another program set that route: `ip route show table all type blackhole` finds it."
        case .noCarrier:
            "Plug in the cable, join the Wi-Fi, or switch the interface on: `ip link show\(interface)`"
                + " shows its state."
        case .noAddress:
            "Wait a few seconds. If no address is assigned, the network's DHCP server or this machine's DHCP client"
                + " does not work: `ip address show\(interface)` lists the addresses."
        case .addressTentative:
            "Wait a second or two: the kernel is checking whether another machine has the same address. If `ip address"
                + " show\(interface)` says dadfailed, another machine has it."
        case .costUnknown:
            "Wait a second or two: NetworkManager has not replied to the query yet. `nmcli -f GENERAL.METERED device"
                + " show\(interface)` shows its value."
        case .gatewayNotAnswering:
            "Check that the router is on and connected. `ip neighbour` shows its state. Uploading resumes automatically"
                + " when the router responds again."
        case .nameNotFound:
            "Check how the name is written, and in which network it is known: `getent ahosts \(host ?? "NAME")`."
        case .nameServerNotAnswering:
            "See which name servers are configured, in /etc/resolv.conf or with `resolvectl status`, and check whether"
                + " they can be reached: `waymark target ADDRESS`."
        case .resolving: "Try again in a few seconds, or use --wait."
        case .kernelNotAnswering:
            "Try again. If the error remains, see the daemon's log: `sudo journalctl -u waymark`."
        }
    }

    /// The advice below all other lines.
    func adviceLines(for terminal: Terminal) -> [String] { Self.lines(advice, for: terminal) }

    /// An advice in as many lines as it needs.
    static func lines(_ text: String, for terminal: Terminal) -> [String] {
        terminal.wrapped("→ \(text)").map { terminal.styled($0, .bold) }
    }
}
