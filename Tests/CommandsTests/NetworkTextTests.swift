import CommandLineKit
import Interfaces
import NetworkPaths
import Testing

@testable import Commands

@Suite struct NetworkTextTests {
    private static let pipe = Terminal(isTerminal: false)

    private static func target(
        _ status: TargetReachability.Status = .reachable, _ reason: UnreachableReason? = nil,
        _ change: (inout TargetReachability) -> Void = { _ in }
    ) -> TargetText {
        var target = TargetReachability(host: "tracker.example.org", status: status, reason: reason)
        change(&target)
        return TargetText(answer: TargetAnswer(target: target, steps: []))
    }

    @Test func `an advice is wrapped at the width that it has in the terminal's character set`() {
        let terminal = Terminal(isTerminal: true, width: 40, encoding: .ascii)
        let lines = ReasonText.lines("Connect to a network that leads there: `ip route`.", for: terminal)
        #expect(lines == ["-> Connect to a network that leads", "there: `ip route`."])
    }

    @Test(arguments: UnreachableReason.allCases)
    func `every reason has a sentence for the cause, and one for the next step`(reason: UnreachableReason) {
        let text = ReasonText(reason: reason)
        #expect(!text.clause.isEmpty && text.clause.last != "." && text.clause.first?.isLowercase == true)
        #expect(text.advice.last == "." && text.advice.first?.isUppercase == true)
        for other in UnreachableReason.allCases where other != reason {
            #expect(ReasonText(reason: other).clause != text.clause)
            #expect(ReasonText(reason: other).advice != text.advice)
        }
        let target = Self.target(.unreachable, reason)
        #expect(target.sentence == "tracker.example.org cannot be reached: \(text.clause).")
        #expect(target.lines(for: Self.pipe).last?.hasPrefix("→ ") == true)
        let path = PathText(path: NetworkPath(status: .unsatisfied, reason: reason))
        #expect(path.sentence == "The rest of the world cannot be reached: \(text.clause).")
        #expect(path.lines(for: Self.pipe) == [path.sentence, "→ \(text.advice)"])
    }

    @Test func `an unknown reason is shown by its name`() {
        let path = PathText(path: NetworkPath(status: .unsatisfied), word: "eclipse")
        #expect(path.sentence == "The rest of the world cannot be reached: eclipse.")
        #expect(path.change(for: Self.pipe) == "unsatisfied: eclipse")
        let cable = NetworkInterface(name: "eth0", index: 2, kind: .wired)
        let waiting = PathText(
            path: NetworkPath(status: .requiresConnection, reason: .noCarrier, interfaces: [cable]))
        #expect(waiting.sentence == "The rest of the world cannot be reached yet: the interface eth0 has no carrier.")
        let none = PathText(path: NetworkPath(status: .requiresConnection))
        #expect(none.sentence == "The rest of the world cannot be reached yet.")
    }

    @Test func `a path names all its interfaces and their cost`() {
        var modem = NetworkInterface(name: "wwan0", index: 3, kind: .cellular, isExpensive: true, isConstrained: true)
        let wired = NetworkInterface(name: "eth0", index: 2, kind: .wifi)
        var path = NetworkPath(
            status: .satisfied, interfaces: [modem, wired], supportsIPv4: true, supportsIPv6: true, supportsDNS: false)
        let text = PathText(path: path)
        #expect(
            text.lines(for: Self.pipe) == [
                "The rest of the world can be reached through wwan0, which costs money and is constrained.",
                "Interfaces  wwan0, cellular, expensive, constrained", "            eth0, Wi-Fi",
                "Protocols   IPv4 and IPv6", "Names       no name server can be reached",
            ])
        #expect(
            text.change(for: Self.pipe) == "satisfied: wwan0 (expensive, constrained), eth0; IPv4, IPv6, no names")
        modem.isExpensive = false
        modem.isUltraConstrained = true
        path.interfaces = [modem]
        #expect(PathText(path: path).sentence.hasSuffix("through wwan0, which has very little capacity."))
    }

    @Test func `the reachability of a host is a sentence`() throws {
        let router = try #require(IPAddress("192.0.2.1"))
        let wired = NetworkInterface(name: "eth0", index: 2, kind: .wired)
        let modem = NetworkInterface(name: "wwan0", index: 3, kind: .cellular, isExpensive: true)
        let host = "tracker.example.org"
        #expect(Self.target().sentence == "There is a route to \(host).")
        #expect(Self.target { $0.isLocal = true }.sentence == "\(host) is this machine.")
        let direct = Self.target {
            $0.isDirect = true
            $0.interface = wired
        }
        #expect(direct.sentence == "There is a direct route to \(host) through eth0.")
        let routed = Self.target {
            $0.gateway = router
            $0.interface = modem
            $0.source = IPAddress("192.0.2.5")
            $0.address = IPAddress("198.51.100.7")
        }
        #expect(
            routed.sentence
                == "There is a route to \(host) (198.51.100.7) through wwan0 and the router 192.0.2.1, which costs money."
        )
        #expect(
            routed.change(for: Self.pipe)
                == "reachable: 198.51.100.7 from 192.0.2.5 through wwan0 by 192.0.2.1, expensive")
        #expect(Self.target(.requiresConnection, .noAddress).sentence.hasPrefix("\(host) cannot be reached yet: "))
        #expect(Self.target(.unknown, .resolving).sentence.hasPrefix("Whether \(host) can be reached is not known: "))
        #expect(Self.target(.unknown, .resolving).change(for: Self.pipe) == "unknown: the name is being resolved")
        let address = TargetText(
            answer: TargetAnswer(
                target: TargetReachability(host: "2001:db8::1", port: 53, status: .reachable), steps: []))
        #expect(address.sentence == "There is a route to 2001:db8::1. Port 53 was not tried.")
    }

    @Test func `nothing is claimed about a port, because none is tried`() throws {
        let address = try #require(IPAddress("127.0.0.1"))
        for name in ["localhost", "127.0.0.1"] {
            var target = TargetReachability(host: name, port: 9, status: .reachable)
            target.isLocal = true
            target.address = address
            let text = TargetText(answer: TargetAnswer(target: target, steps: []))
            let shown = name == "localhost" ? "localhost (127.0.0.1)" : name
            #expect(text.sentence == "\(shown) is this machine. Port 9 was not tried.")
        }
    }

    @Test func `a silent router is named by the step that found it, where the target has none`() {
        let steps = [
            ReachabilityStep(.interface, .good, "eth0"), ReachabilityStep(.gateway, .bad, "192.0.2.1 failed"),
        ]
        for (reason, words) in [
            (UnreachableReason.gatewayNotAnswering, "the router 192.0.2.1 does not respond"),
            (.noAddress, "the interface eth0 has no address to send from"),
        ] {
            let target = TargetReachability(host: "a", status: .unreachable, reason: reason)
            #expect(TargetText(answer: TargetAnswer(target: target, steps: steps)).sentence.hasSuffix("\(words)."))
        }
    }

    @Test func `an address of one link needs the link`() {
        for (host, words) in [("fe80::1", "fe80::1%eth0."), ("fe80::1%eth0", "Connect"), ("2001:db8::1", "Connect")] {
            let target = TargetReachability(host: host, status: .unreachable, reason: .noRoute)
            let text = TargetText(answer: TargetAnswer(target: target, steps: []))
            #expect(text.lines(for: Self.pipe).last?.contains(words) == true, "\(host)")
        }
    }

    @Test func `reported results of attempts are shown beside the kernel's reply`() {
        let suspect = Self.target { $0.isSuspect = true }
        #expect(suspect.lines(for: Self.pipe)[1].hasPrefix("→ However, the last three"))
        #expect(suspect.change(for: Self.pipe) == "reachable; but the last three attempts had no response")
        for finding in TargetReachability.Finding.allCases {
            let text = Self.target { $0.finding = finding }
            #expect(text.lines(for: Self.pipe).count == 2, "\(finding)")
            #expect(text.change(for: Self.pipe) != "reachable", "\(finding)")
        }
    }

    @Test func `on a terminal the chain is a table with signs, and nothing is wider than the terminal`() {
        let steps = [
            ReachabilityStep(.name, .good, "192.0.2.7"), ReachabilityStep(.interface, .unknown),
            ReachabilityStep(.gateway, .bad, "192.0.2.1 failed\u{1B}"),
        ]
        let target = TargetReachability(host: "a", status: .unreachable, reason: .gatewayNotAnswering)
        let text = TargetText(answer: TargetAnswer(target: target, steps: steps))
        let lines = text.lines(for: Terminal(isTerminal: true, width: 60))
        #expect(lines[1...3] == ["✓  name       192.0.2.7", "?  interface", "✗  gateway    192.0.2.1 failed\\u{1b}"])
        #expect(lines.count > 5 && lines.dropFirst().allSatisfy { $0.displayWidth <= 60 })
        let colored = text.lines(for: Terminal(isTerminal: true, width: 60, hasColor: true))
        #expect(colored[3].contains("\u{1B}[31m✗"))
    }

    @Test func `words from elsewhere cannot move the cursor`() {
        let escape = "\u{1B}[2J"
        let path = NetworkPath(
            status: .satisfied, interfaces: [NetworkInterface(name: escape, index: 1, kind: .other)])
        let target = TargetReachability(host: escape, status: .unreachable)
        let texts = [
            PathText(path: path).lines(for: Self.pipe), [PathText(path: path).change(for: Self.pipe)],
            TargetText(answer: TargetAnswer(target: target, steps: [.init(.rule, .good, escape)]), word: escape)
                .lines(for: Self.pipe),
        ]
        #expect(!texts.joined().joined().contains("\u{1B}"))
    }

    @Test(
        arguments: [
            ("tracker.example.org", nil), ("tracker.example.org:443", 443), ("192.0.2.1:65535", 65535),
            ("2001:db8::1", nil), ("[2001:db8::1]", nil), ("[2001:db8::1]:443", 443), ("fe80::1%eth0", nil),
            ("[fe80::1%eth0]:1", 1), ("::1", nil), ("localhost:08080", 8080), ("münchen.example:443", 443),
        ] as [(String, UInt16?)]) func `a host is understood with its port`(text: String, port: UInt16?) throws
    {
        let host = try HostText(parsing: text)
        #expect(host.port == port)
        #expect(!host.description.contains("[") || port != nil)
        #expect(try HostText(parsing: host.description) == host)
    }

    @Test(arguments: [
        ("", "no host"), (":443", "no host"), ("a:", "no port"), ("a:0", "no port"), ("a:65536", "no port"),
        ("a:-1", "no port"), ("a:+1", "no port"), ("a:https", "no port"), ("a b", "no host"),
        ("http://a/", "scheme"), ("a/b", "scheme"),
        ("192.0.2.300", "no host"), ("192.0.2.300:1", "no host"), ("[a]:1", "brackets are for"),
        ("[192.0.2.1]:1", "brackets are for"), ("[::1", "lacks the closing bracket"), ("[::1]443", "write [::1]:443"),
        ("[::1]:", "no port"), ("fe80::1%eth0:443", "[fe80::1%eth0]:443"), ("[]:1", "brackets are for"),
    ]) func `an invalid host or port is reported`(text: String, words: String) throws {
        let mistake = #expect(throws: HostText.Mistake.self) { _ = try HostText(parsing: text) }
        #expect(mistake?.message.contains(words) == true, "\(mistake?.message ?? "")")
    }
}
