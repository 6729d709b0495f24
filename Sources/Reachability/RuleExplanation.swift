import NetworkPaths

/// Which rule led to the kernel's answer: the rules are tried as the kernel tries them (ip-rule(8)), and the one that
/// fits the answer is the one.
///
/// Marks and ports of a packet are not known here. The kernel was asked for a packet without, as those of most programs
/// are; rules that look at them are `unknown`.
public struct RuleExplanation: Equatable, Sendable {
    /// Whether a rule is for the packet.
    public enum Fit: String, CaseIterable, Sendable {
        case yes, no, unknown
    }

    /// A rule that was tried.
    public struct Attempt: Equatable, Sendable {
        /// The rule.
        public var rule: RoutingRule
        /// Whether it is for the packet.
        public var fit: Fit
    }

    /// A packet, as far as rules look at it.
    public struct Packet: Equatable, Sendable {
        /// Where to.
        public var destination: IPAddress
        /// Where from; nil where the kernel looks before it has chosen.
        public var source: IPAddress?
        /// Who sends.
        public var uid: UInt32?
        /// The interface it has to leave through, by name.
        public var outputInterface: String?

        /// A packet of these parts.
        public init(
            to destination: IPAddress, from source: IPAddress? = nil, uid: UInt32? = nil, outputInterface: String? = nil
        ) {
            self.destination = destination
            self.source = source
            self.uid = uid
            self.outputInterface = outputInterface
        }
    }

    /// What the kernel has answered.
    public enum Answer: Equatable, Sendable {
        /// A route of this table, for so many bits.
        case route(table: UInt32, prefixLength: Int)
        /// A refusal.
        case refused(UnreachableReason)
    }

    /// The rules in the order they were tried, up to the one that decided.
    public private(set) var attempts: [Attempt] = []
    /// The rule that chose the table or forbade it; nil where none can be told.
    public private(set) var decisive: RoutingRule?
    /// Whether no mark could have led elsewhere.
    public private(set) var isCertain = true

    /// Tries these rules, which stand in the order of their priorities.
    public init(_ rules: [RoutingRule], for packet: Packet, answer: Answer) {
        var least: UInt32 = 0
        for rule in rules where rule.priority >= least {
            let (fit, fitsUnmarked) = Self.fit(of: rule, packet)
            attempts.append(Attempt(rule: rule, fit: fit))
            if fit == .unknown { isCertain = false }
            guard fitsUnmarked else { continue }
            if case .goto(let priority) = rule.action {
                least = max(least, priority)
            } else if Self.leads(rule, to: answer) {
                decisive = rule
                return
            }
        }
    }

    /// Whether a rule is for a packet, and whether it is for one without a mark.
    private static func fit(of rule: RoutingRule, _ packet: Packet) -> (fit: Fit, fitsUnmarked: Bool) {
        var fits = true
        if let destination = rule.destination { fits = fits && destination.contains(packet.destination) }
        if let source = rule.source, source.length > 0 {
            fits = fits && (packet.source.map(source.contains) ?? false)
        }
        if let users = rule.users { fits = fits && (packet.uid.map(users.contains) ?? false) }
        // What this machine sends has come in through `lo`.
        if let interface = rule.inputInterface { fits = fits && interface == "lo" }
        if let interface = rule.outputInterface { fits = fits && interface == packet.outputInterface }
        let hasMoreConditions = rule.mark != nil || rule.hasOtherConditions
        guard fits, hasMoreConditions else { return fits != rule.isInverted ? (.yes, true) : (.no, false) }
        let fitsMark = !rule.hasOtherConditions && rule.mark.map { $0.value & $0.mask == 0 } ?? true
        return (.unknown, fitsMark != rule.isInverted)
    }

    /// Whether what a rule does can have come to this answer.
    private static func leads(_ rule: RoutingRule, to answer: Answer) -> Bool {
        switch (rule.action, answer) {
        case (.table(let own), .route(let table, let length)):
            own == table && length > rule.suppressedPrefixLength ?? -1
        // A rule of the type `unreachable` is told as if there were no route, ENETUNREACH; a route as EHOSTUNREACH.
        case (.blackhole, .refused(.blackhole)), (.unreachable, .refused(.noRoute)),
            (.prohibit, .refused(.prohibited)):
            true
        default: false
        }
    }
}

extension RoutingRule.Prefix {
    /// Whether an address begins so.
    public func contains(_ other: IPAddress) -> Bool {
        guard other.family == address.family, (0...address.family.byteCount * 8).contains(length) else { return false }
        var left = length
        for (own, theirs) in zip(address.bytes, other.bytes) {
            guard left > 0 else { return true }
            let shift = 8 - min(left, 8)
            guard own >> UInt8(shift) == theirs >> UInt8(shift) else { return false }
            left -= 8
        }
        return true
    }
}
