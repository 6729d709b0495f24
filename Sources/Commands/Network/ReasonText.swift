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
        case .blackhole: "a route throws away what is sent there"
        case .noCarrier: "\(interface) has no carrier"
        case .noAddress: "\(interface) has no address to send from"
        case .addressTentative: "the address of \(interface) is not ready yet"
        case .costUnknown: "whether sending over \(interface) costs money is not known yet"
        case .gatewayNotAnswering: "the router\(gateway.map { " \($0)" } ?? "") does not answer"
        case .nameNotFound: "there is no such name"
        case .nameServerNotAnswering: "no name server answers"
        case .resolving: "the name is being looked up"
        case .kernelNotAnswering: "the kernel did not answer"
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
            "Somebody set that route, often a VPN that is not connected: `ip route show table all type unreachable`"
                + " finds it."
        case .prohibited:
            "Somebody set that, often a VPN that lets nothing go another way: `ip rule` and `ip route show table all"
                + " type prohibit` find it."
        case .blackhole: "Somebody set that route: `ip route show table all type blackhole` finds it."
        case .noCarrier:
            "Plug in the cable, join the Wi-Fi, or switch the interface on: `ip link show\(interface)` says how it"
                + " stands."
        case .noAddress:
            "Give the network a few seconds. If none comes, its DHCP server or this machine's DHCP client does not work:"
                + " `ip address show\(interface)` lists the addresses."
        case .addressTentative:
            "Give it a second or two: whether another machine has the same address is being found out. If `ip address"
                + " show\(interface)` says dadfailed, another has it."
        case .costUnknown:
            "Give it a second or two: NetworkManager is being asked, and is not waited for any longer. `nmcli -f"
                + " GENERAL.METERED device show\(interface)` says what it knows."
        case .gatewayNotAnswering:
            "See that the router is on and connected. `ip neighbour` shows who answers. Who sends finds out by itself"
                + " when the router is back."
        case .nameNotFound:
            "Check how the name is written, and in which network it is known: `getent ahosts \(host ?? "NAME")`."
        case .nameServerNotAnswering:
            "See which name servers are asked, in /etc/resolv.conf or with `resolvectl status`, and whether they can be"
                + " reached: waymark target ADDRESS."
        case .resolving: "Ask again in a few seconds, or let --wait do it."
        case .kernelNotAnswering:
            "Ask again. If it stays so, see what the daemon logged: journalctl -u waymark."
        }
    }

    /// The advice below all other lines.
    func adviceLines(for terminal: Terminal) -> [String] { Self.lines(advice, for: terminal) }

    /// An advice in as many lines as it needs.
    static func lines(_ text: String, for terminal: Terminal) -> [String] {
        guard terminal.isTerminal else { return ["→ \(text)"] }
        return "→ \(text)".wrapped(to: terminal.width).map { terminal.styled($0, .bold) }
    }
}
