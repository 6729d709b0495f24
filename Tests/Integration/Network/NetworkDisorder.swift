import NetworkPaths
import TestSupport

/// Random changes of the kernel of a test's own machine, which has two uplinks and both versions of the
/// protocol: many of them are refused, as many are in life.
struct NetworkDisorder {
    private let network: TestNetwork
    private var random: SeededGenerator
    private var pairs = 0
    /// The number of changes that the kernel accepted.
    private(set) var taken = 0
    /// The last ones, for a failure.
    private(set) var history: [String] = []

    init(_ network: TestNetwork, _ random: SeededGenerator) {
        self.network = network
        self.random = random
    }

    /// Does one more.
    mutating func step() throws {
        let roll = Int.random(in: 0..<1_000, using: &random)
        switch roll {
        case 0..<150: try link()
        case 150..<250: try address()
        case 250..<650: try route()
        case 650..<770: try rule()
        case 770..<880: try nextHop()
        case 880..<985: try neighbour()
        case 985..<990: try pair()
        default: try passOverDeadLinks()
        }
    }

    /// The state of the kernel, for a failure message.
    func state() throws -> String {
        try network.machine.shell(
            """
            ip address; ip -4 rule; ip -6 rule; ip nexthop; ip neigh
            ip -4 route show table all; ip -6 route show table all
            for host in 12.0.0.1 193.0.0.1 2600::1 3000::1; do
                for i in 1 2 3; do ip route get fibmatch $host 2>&1 || true; ip route get $host 2>&1 || true; done
            done
            """)
    }

    /// Ends states that would make most later steps equal: rules for everything come first, and links are down half the
    /// time.
    mutating func mend() throws {
        for family in network.families {
            for preference in 100..<104 { try apply("\(family.option) rule del pref \(preference)") }
            for type in ["blackhole", "unreachable", "prohibit", "throw"] where chance(2) {
                try apply("\(family.option) route flush type \(type)")
            }
        }
        for uplink in [0, 1] {
            try apply("link set far\(uplink) up", far: true)
            try apply("link set up\(uplink) up")
            for family in network.families { try apply("address replace \(family.ownNetwork(uplink)) dev up\(uplink)") }
            for route in network.defaults(uplink) { try apply("route replace \(route)") }
        }
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    /// Whether an event of this mean frequency happens now.
    private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private mutating func apply(_ command: String, far: Bool = false) throws {
        history.append(far ? "far: \(command)" : command)
        if history.count > 400 { history.removeFirst(200) }
        if try (far ? network.far : network.machine).ipCan(command) { taken += 1 }
    }

    private mutating func family() -> IPAddress.Family { pick(IPAddress.Family.allCases) }

    private mutating func link() throws {
        let uplink = pick([0, 1])
        let state = pick(["up", "up", "down"])
        if chance(2) {
            try apply("link set far\(uplink) \(state)", far: true)
        } else {
            try apply("link set up\(uplink) \(state)")
        }
    }

    private mutating func address() throws {
        let uplink = pick([0, 1])
        let family = family()
        let verb = pick(["del", "replace", "replace"])
        let own =
            chance(4) ? (family == .ipv4 ? "10.78.\(uplink).2/24" : "2001:db8:78::2/64") : family.ownNetwork(uplink)
        try apply("address \(verb) \(own) dev up\(uplink)")
    }

    private mutating func destination(_ family: IPAddress.Family) -> String {
        switch family {
        case .ipv4:
            pick(["0.0.0.0/0", "0.0.0.0/0"] + family.halves + ["12.0.0.0/8", "193.0.0.1/32", "198.51.100.0/24"])
        case .ipv6: pick(["::/0", "::/0"] + family.halves + ["2600::/16", "3000::1/128", "2001:db8:100::/48"])
        }
    }

    private mutating func route() throws {
        let family = family()
        let verb = pick(["add", "replace", "append", "del", "del"])
        let target: String
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<10:
            let uplink = pick([0, 1])
            let router = family.router(chance(8) ? 1 - uplink : uplink)
            target = chance(6) ? "dev up\(uplink)" : "via \(router) dev up\(uplink)"
        case 10..<12:
            target = "nexthop via \(family.router(0)) dev up0 nexthop via \(family.router(1)) dev up1 weight 2"
        case 12..<15: target = "nhid \(nextHopID(family, group: chance(3)))"
        default: target = ""
        }
        let type = target.isEmpty ? pick(["unreachable ", "blackhole ", "prohibit ", "throw "]) : ""
        let metric = " metric \(pick([0, 5, 10, 100, 200]))"
        let table = chance(4) ? " table \(pick([100, 101]))" : ""
        try apply("\(family.option) route \(verb) \(type)\(destination(family)) \(target)\(metric)\(table)")
    }

    private mutating func rule() throws {
        let family = family()
        let preference = 100 + Int.random(in: 0..<4, using: &random)
        if !chance(3) { return try apply("\(family.option) rule del pref \(preference)") }
        let own = family.ownNetwork(pick([0, 1])).split(separator: "/")[0]
        let selector = pick([
            "", "to \(destination(family))", "from \(own)", "uidrange 65534-65534", "iif lo", "iif up0", "fwmark 7",
            "not to \(destination(family))", "oif up1",
        ])
        let action = pick([
            "lookup 100", "lookup 100", "lookup 101", "lookup main suppress_prefixlength 0", "prohibit", "blackhole",
            "unreachable",
        ])
        try apply("\(family.option) rule add pref \(preference) \(selector) \(action)")
    }

    private mutating func nextHopID(_ family: IPAddress.Family, group: Bool) -> Int {
        (family == .ipv4 ? 40 : 60) + (group ? 5 : 0) + pick([0, 1])
    }

    private mutating func nextHop() throws {
        let family = family()
        let uplink = pick([0, 1])
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<2: try apply("nexthop del id \(nextHopID(family, group: chance(3)))")
        case 2..<4:
            let first = nextHopID(family, group: false)
            let members = chance(2) ? "\(first)" : "\(family == .ipv4 ? 40 : 60)/\(family == .ipv4 ? 41 : 61)"
            try apply("nexthop replace id \(nextHopID(family, group: true)) group \(members)")
        case 4: try apply("\(family.option) nexthop replace id \(nextHopID(family, group: false)) blackhole")
        default:
            try apply(
                "nexthop replace id \(nextHopID(family, group: false)) via \(family.router(uplink)) dev up\(uplink)")
        }
    }

    private mutating func neighbour() throws {
        let family = family()
        let uplink = pick([0, 1])
        let router = "\(family.router(uplink)) dev up\(uplink)"
        if chance(4) { return try apply("neigh del \(router)") }
        let state = pick(["permanent", "reachable", "stale"]) + (family == .ipv6 ? " router" : "")
        try apply("neigh replace \(router) lladdr 02:00:00:00:00:01 nud \(state)")
        // The kernel announces the failure of a known neighbour.
        if chance(2) { try apply("neigh change \(router) nud failed") }
    }

    /// Interfaces of a container are added or removed.
    private mutating func pair() throws {
        if pairs > 0, chance(2) {
            try apply("link del pair\(pairs)a")
            pairs -= 1
        } else {
            pairs += 1
            try apply("link add pair\(pairs)a type veth peer name pair\(pairs)b")
            try apply("address add 10.79.\(pairs).1/24 dev pair\(pairs)a")
            if chance(2) { try apply("link set pair\(pairs)a up") }
            if chance(2) { try apply("link set pair\(pairs)b up") }
        }
    }

    private mutating func passOverDeadLinks() throws {
        let value = pick(["0", "1"])
        for family in ["ipv4", "ipv6"] {
            let name = "net/\(family)/conf/up\(pick([0, 1]))/ignore_routes_with_linkdown"
            history.append("\(name)=\(value)")
            try network.machine.set(name, value)
        }
    }
}
