import CommandLineKit
import NetworkPaths

/// The path to the rest of the world, for a person.
struct PathText {
    let path: NetworkPath
    /// The daemon's word for the reason, which this version may not know.
    var word: String?

    /// Without the router: the gateways of an unsatisfied path belong to other routes than the one that failed.
    private var reason: ReasonText? {
        let interface = path.status == .requiresConnection ? path.interfaces.first?.name : nil
        return path.reason.map { ReasonText(reason: $0, interface: interface) }
    }

    private var because: String {
        (reason?.clause ?? word).map { ": \($0)" } ?? ""
    }

    /// The state, in a sentence.
    var sentence: String {
        switch path.status {
        case .satisfied:
            let through = path.interfaces.first.map { " through \($0.name)\(NetworkWords.price($0))" } ?? ""
            return "The rest of the world can be reached\(through)."
        case .requiresConnection: return "The rest of the world cannot be reached yet\(because)."
        case .unsatisfied: return "The rest of the world cannot be reached\(because)."
        }
    }

    /// The sentence, the details, and the advice.
    func lines(for terminal: Terminal) -> [String] {
        var table = Table([.init(""), .init("")])
        func add(_ title: String, _ texts: [String]) {
            for (index, text) in texts.enumerated() {
                table.add([Table.Cell(index == 0 ? title : "", .bold), Table.Cell(text)])
            }
        }
        add("Interfaces", path.interfaces.map(NetworkWords.interface))
        add("Routers", path.gateways.map(\.description))
        if path.status == .satisfied {
            add("Protocols", [protocols.joined(separator: " and ")])
            add("Names", [path.supportsDNS ? "a name server can be reached" : "no name server can be reached"])
        }
        return terminal.wrapped(sentence.escapingControls).map { terminal.styled($0, .bold) }
            + table.lines(for: terminal)
            + (reason?.adviceLines(for: terminal) ?? [])
    }

    /// `satisfied: eth0, wwan0 (expensive) by 192.0.2.1; IPv4, IPv6, names`.
    func change(for terminal: Terminal) -> String {
        let (status, style) =
            switch path.status {
            case .satisfied: ("satisfied", Terminal.Style.green)
            case .unsatisfied: ("unsatisfied", .red)
            case .requiresConnection: ("requires connection", .yellow)
            }
        guard path.status == .satisfied else {
            return terminal.styled(status, style) + because.escapingControls
        }
        let interfaces = path.interfaces.map { interface in
            let price = NetworkWords.prices(interface)
            return interface.name + (price.isEmpty ? "" : " (\(price.joined(separator: ", ")))")
        }
        var text = interfaces.isEmpty ? "" : ": " + interfaces.joined(separator: ", ")
        if !path.gateways.isEmpty { text += " by \(path.gateways.map(\.description).joined(separator: ", "))" }
        text += "; " + (protocols + [path.supportsDNS ? "names" : "no names"]).joined(separator: ", ")
        return terminal.styled(status, style) + text.escapingControls
    }

    private var protocols: [String] {
        (path.supportsIPv4 ? ["IPv4"] : []) + (path.supportsIPv6 ? ["IPv6"] : [])
    }
}

/// Words about interfaces.
enum NetworkWords {
    /// `wwan0, cellular, expensive`.
    static func interface(_ interface: NetworkInterface) -> String {
        ([interface.name] + kind(interface.kind) + prices(interface)).joined(separator: ", ")
    }

    /// The cost and limits of the interface.
    static func prices(_ interface: NetworkInterface) -> [String] {
        var words = interface.isExpensive ? ["expensive"] : []
        if interface.isUltraConstrained {
            words.append("very little capacity")
        } else if interface.isConstrained {
            words.append("constrained")
        }
        return words
    }

    /// The same for a sentence, after the interface's name.
    static func price(_ interface: NetworkInterface) -> String {
        let costs = interface.isExpensive ? ", which costs money" : ""
        let spare =
            interface.isUltraConstrained
            ? "has very little capacity" : interface.isConstrained ? "is constrained" : nil
        return costs + (spare.map { (costs.isEmpty ? ", which " : " and ") + $0 } ?? "")
    }

    private static func kind(_ kind: NetworkInterface.Kind) -> [String] {
        switch kind {
        case .wifi: ["Wi-Fi"]
        case .vpn: ["VPN"]
        case .other: []
        case .wired, .cellular, .bridge, .loopback: [kind.rawValue]
        }
    }
}
