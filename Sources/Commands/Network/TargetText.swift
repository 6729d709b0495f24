import CommandLineKit
import Interfaces
import NetworkPaths

/// Whether there is a route to a host, and over which interface and router, for a person. It claims nothing about the
/// port, because no connection is tried.
struct TargetText {
    let answer: TargetAnswer
    /// The daemon's word for the reason, which this version may not know.
    var word: String?

    private var target: TargetReachability { answer.target }

    private var host: String { HostText.text(host: target.host, port: target.port) }

    private var reason: ReasonText? {
        target.reason.map {
            ReasonText(
                reason: $0, gateway: gateway, interface: target.interface?.name ?? value(of: .interface),
                host: target.host)
        }
    }

    /// The router that a packet would be sent to, or the one that did not respond.
    private var gateway: String? {
        target.gateway?.description
            ?? value(of: .gateway).flatMap { $0.split(separator: " ").first.map(String.init) }
    }

    private func value(of subject: ReachabilityStep.Subject) -> String? {
        answer.steps.first { $0.subject == subject }?.value
    }

    private var because: String { (reason?.clause ?? word).map { ": \($0)" } ?? "" }

    /// The state, in a sentence.
    var sentence: String {
        switch target.status {
        case .reachable: "\(routeText).\(untriedPort)"
        case .requiresConnection: "\(host) cannot be reached yet\(because)."
        case .unreachable: "\(host) cannot be reached\(because)."
        case .unknown: "Whether \(host) can be reached is not known\(because)."
        }
    }

    /// ` Port 443 was not tried.`
    private var untriedPort: String { target.port.map { " Port \($0) was not tried." } ?? "" }

    /// `There is a route to tracker.example.org (198.51.100.7) through eth0 and the router 192.0.2.1`.
    private var routeText: String {
        let address = target.address.map(\.description).flatMap { $0 == target.host ? nil : " (\($0))" } ?? ""
        if target.isLocal { return "\(target.host)\(address) is this machine" }
        var text = "There is a \(target.isDirect ? "direct route" : "route") to \(target.host)\(address)"
        if let interface = target.interface { text += " through \(interface.name)" }
        if let gateway = target.gateway {
            text += (target.interface == nil ? " through" : " and") + " the router \(gateway)"
        }
        return text + (target.interface.map(NetworkWords.price) ?? "")
    }

    /// The reports about the host beside the kernel's reply, and the advice.
    private var remarks: [String] {
        var remarks: [String] = []
        if target.status == .reachable, target.isSuspect {
            remarks.append(
                "However, the last three attempts reported had no response. Check the host itself, and the route to it:"
                    + " a firewall, the router's own connection.")
        }
        switch target.finding {
        case .captive?:
            remarks.append(
                "An attempt found a portal in place of the host. Open any page in a browser, and log in to the"
                    + " network.")
        case .limited?:
            remarks.append(
                "An attempt found that the network works but has no connection to the internet. Check the router's own"
                    + " connection.")
        case nil: break
        }
        return remarks
    }

    /// The advice for the reason.
    private func advice(for terminal: Terminal) -> [String] {
        if case .address(let address, zone: nil)? = TargetHost(target.host), address.family == .ipv6,
            address.isLinkLocal, target.reason == .noRoute
        {
            return ReasonText.lines(
                "Name the link, because the same address may exist on each: \(target.host)%eth0.", for: terminal)
        }
        return reason?.adviceLines(for: terminal) ?? []
    }

    /// The sentence, the chain of steps, and the advice.
    func lines(for terminal: Terminal) -> [String] {
        terminal.wrapped(sentence.escapingControls).map { terminal.styled($0, .bold) } + chain(for: terminal)
            + remarks.flatMap { ReasonText.lines($0, for: terminal) } + advice(for: terminal)
    }

    private func chain(for terminal: Terminal) -> [String] {
        guard terminal.isTerminal else {
            return answer.steps.map { step in
                "\(step.subject.rawValue): \(Self.words(step.outcome))\(Self.value(step).map { ", \($0)" } ?? "")"
                    .escapingControls
            }
        }
        var table = Table([.init(""), .init(""), .init("")])
        for step in answer.steps {
            table.add([Self.sign(step.outcome), Table.Cell(step.subject.rawValue), Table.Cell(Self.value(step) ?? "")])
        }
        return table.lines(for: terminal)
    }

    /// The value of a step; of reports, its meaning.
    private static func value(_ step: ReachabilityStep) -> String? {
        guard step.subject == .reports, let failures = step.value.flatMap({ Int($0) }) else { return step.value }
        return "\(Measure.grouped(failures)) failed in a row"
    }

    private static func words(_ outcome: ReachabilityStep.Outcome) -> String {
        switch outcome {
        case .good: "good"
        case .bad: "bad"
        case .unknown: "not known"
        }
    }

    private static func sign(_ outcome: ReachabilityStep.Outcome) -> Table.Cell {
        switch outcome {
        case .good: Table.Cell("✓", .green)
        case .bad: Table.Cell("✗", .red)
        case .unknown: Table.Cell("?", .yellow)
        }
    }

    /// `reachable: 192.0.2.7 from 192.0.2.5 through eth0 by 192.0.2.1`.
    func change(for terminal: Terminal) -> String {
        switch target.status {
        case .reachable:
            var parts = target.address.map { [$0.description] } ?? []
            if target.isLocal { parts.append("here") }
            if let source = target.source, !target.isLocal { parts.append("from \(source)") }
            if let interface = target.interface, !target.isLocal { parts.append("through \(interface.name)") }
            if let gateway = target.gateway { parts.append("by \(gateway)") }
            var text = parts.isEmpty ? "" : ": " + parts.joined(separator: " ")
            if let interface = target.interface { text += NetworkWords.prices(interface).map { ", \($0)" }.joined() }
            if target.isSuspect { text += "; but the last three attempts had no response" }
            switch target.finding {
            case .captive?: text += "; but a portal responds"
            case .limited?: text += "; but the network has no connection to the internet"
            case nil: break
            }
            return terminal.styled("reachable", target.isSuspect ? .yellow : .green) + text.escapingControls
        case .requiresConnection: return terminal.styled("requires connection", .yellow) + because.escapingControls
        case .unreachable: return terminal.styled("unreachable", .red) + because.escapingControls
        case .unknown: return terminal.styled("unknown", .yellow) + because.escapingControls
        }
    }
}
