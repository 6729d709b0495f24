import NetworkPaths

// Routes and rules in the syntax of iproute2, ip-route(8) and ip-rule(8).

/// The names of the routing tables that every system has.
enum RoutingTable {
    /// The name of a table, or its number.
    static func name(_ number: UInt32) -> String {
        switch number {
        case 253: "default"
        case 254: "main"
        case 255: "local"
        default: "\(number)"
        }
    }
}

extension Route {
    /// The route in the syntax of iproute2: `default via 10.0.0.1 dev eth0 table main metric 100`.
    func words(_ family: IPAddress.Family, interface name: (Int32) -> String) -> String {
        var words: [String] = kind.word.map { [$0] } ?? []
        words.append(prefixWords)
        if let nextHopID { words += ["nhid", "\(nextHopID)"] }
        if nextHops.count == 1 {
            words += nextHops[0].words(of: family, interface: name)
        } else if nextHops.isEmpty, let resolved {
            words += NextHop(interface: resolved.interface, gateway: resolved.gateway)
                .words(of: family, interface: name)
        }
        words += ["table", RoutingTable.name(table)]
        if metric != 0 { words += ["metric", "\(metric)"] }
        if nextHops.count == 1 { words += nextHops[0].flagWords }
        if nextHops.count > 1 {
            for hop in nextHops {
                words.append("nexthop")
                words += hop.words(of: family, interface: name) + hop.flagWords
            }
        }
        return words.joined(separator: " ")
    }

    private var prefixWords: String {
        guard let prefix, prefixLength > 0 else { return "default" }
        return prefixLength == prefix.family.byteCount * 8 ? "\(prefix)" : "\(prefix)/\(prefixLength)"
    }
}

extension Route.NextHop {
    fileprivate func words(of family: IPAddress.Family, interface name: (Int32) -> String) -> [String] {
        var words: [String] = []
        if let gateway {
            let isOther = family != gateway.family
            words += ["via"] + (isOther ? [gateway.family == .ipv6 ? "inet6" : "inet"] : []) + ["\(gateway)"]
        }
        return words + ["dev", name(interface)]
    }

    fileprivate var flagWords: [String] {
        (isDead ? ["dead"] : []) + (isLinkDown ? ["linkdown"] : [])
    }
}

extension Route.Kind {
    fileprivate var word: String? {
        switch self {
        case .unicast: nil
        case .local: "local"
        case .broadcast: "broadcast"
        case .anycast: "anycast"
        case .multicast: "multicast"
        case .blackhole: "blackhole"
        case .unreachable: "unreachable"
        case .prohibit: "prohibit"
        case .throw: "throw"
        case .other(let number): "type \(number)"
        }
    }
}

extension RoutingRule {
    /// The rule in the syntax of iproute2: `from all lookup main`.
    var words: String {
        var words = isInverted ? ["not"] : []
        words += ["from", source?.words ?? "all"]
        if let destination { words += ["to", destination.words] }
        if let mark {
            let mask = mark.mask == UInt32.max ? "" : "/0x" + String(mark.mask, radix: 16)
            words += ["fwmark", "0x" + String(mark.value, radix: 16) + mask]
        }
        if let inputInterface { words += ["iif", inputInterface] }
        if let outputInterface { words += ["oif", outputInterface] }
        if let users { words += ["uidrange", "\(users.lowerBound)-\(users.upperBound)"] }
        // Ports and similar conditions, which are not decoded.
        if hasOtherConditions { words.append("[...]") }
        return (words + action.words + suppressionWords).joined(separator: " ")
    }

    private var suppressionWords: [String] {
        suppressedPrefixLength.map { ["suppress_prefixlength", "\($0)"] } ?? []
    }
}

extension RoutingRule.Prefix {
    fileprivate var words: String {
        length == address.family.byteCount * 8 ? "\(address)" : "\(address)/\(length)"
    }
}

extension RoutingRule.Action {
    fileprivate var words: [String] {
        switch self {
        case .table(let number): ["lookup", RoutingTable.name(number)]
        case .goto(let priority): ["goto", "\(priority)"]
        case .blackhole: ["blackhole"]
        case .unreachable: ["unreachable"]
        case .prohibit: ["prohibit"]
        case .other(let number): ["action", "\(number)"]
        }
    }
}
