import NetworkPaths

/// Finds the routing rule that led to the kernel's reply: the rules are tried in the kernel's order (ip-rule(8)), and
/// the first rule that can have led to the reply is the decisive one.
///
/// The marks and ports of a packet are not known here. The kernel was queried for a packet without a mark, as most
/// programs send them; a rule that depends on marks or ports is `unknown`.
public struct RuleExplanation: Equatable, Sendable {
    /// Whether a rule matches the packet.
    public enum Fit: String, CaseIterable, Sendable {
        case yes, no, unknown
    }

    /// A rule that was tried.
    public struct Attempt: Equatable, Sendable {
        /// The rule.
        public var rule: RoutingRule
        /// Whether it matches the packet.
        public var fit: Fit
    }

    /// The properties of a packet that rules depend on.
    public struct Packet: Equatable, Sendable {
        /// The destination.
        public var destination: IPAddress
        /// The source; nil if the kernel evaluates the rules before choosing one.
        public var source: IPAddress?
        /// The sending user.
        public var uid: UInt32?
        /// The name of the interface that the packet has to leave through.
        public var outputInterface: String?

        /// Creates a packet.
        public init(
            to destination: IPAddress, from source: IPAddress? = nil, uid: UInt32? = nil, outputInterface: String? = nil
        ) {
            self.destination = destination
            self.source = source
            self.uid = uid
            self.outputInterface = outputInterface
        }
    }

    /// The kernel's reply.
    public enum Answer: Equatable, Sendable {
        /// A route of this table, with this prefix length.
        case route(table: UInt32, prefixLength: Int)
        /// A refusal.
        case refused(UnreachableReason)
    }

    /// The rules in the order they were tried, up to the decisive one.
    public private(set) var attempts: [Attempt] = []
    /// The rule that chose the table or forbade the packet; nil if none can be determined.
    public private(set) var decisive: RoutingRule?
    /// Whether no mark could have changed the result.
    public private(set) var isCertain = true

    /// Tries these rules, which are sorted by priority.
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

    /// Whether a rule matches a packet, and whether it matches the same packet without a mark.
    private static func fit(of rule: RoutingRule, _ packet: Packet) -> (fit: Fit, fitsUnmarked: Bool) {
        var fits = true
        if let destination = rule.destination { fits = fits && destination.contains(packet.destination) }
        if let source = rule.source, source.length > 0 {
            fits = fits && (packet.source.map(source.contains) ?? false)
        }
        if let users = rule.users { fits = fits && (packet.uid.map(users.contains) ?? false) }
        // The input interface of locally sent packets is `lo`.
        if let interface = rule.inputInterface { fits = fits && interface == "lo" }
        if let interface = rule.outputInterface { fits = fits && interface == packet.outputInterface }
        let hasMoreConditions = rule.mark != nil || rule.hasOtherConditions
        guard fits, hasMoreConditions else { return fits != rule.isInverted ? (.yes, true) : (.no, false) }
        let fitsMark = !rule.hasOtherConditions && rule.mark.map { $0.value & $0.mask == 0 } ?? true
        return (.unknown, fitsMark != rule.isInverted)
    }

    /// Whether a rule's action can have led to this reply.
    private static func leads(_ rule: RoutingRule, to answer: Answer) -> Bool {
        switch (rule.action, answer) {
        case (.table(let own), .route(let table, let length)):
            own == table && length > rule.suppressedPrefixLength ?? -1
        // A rule of the type `unreachable` is reported as ENETUNREACH, as if there were no route; a route of that type
        // as EHOSTUNREACH.
        case (.blackhole, .refused(.blackhole)), (.unreachable, .refused(.noRoute)),
            (.prohibit, .refused(.prohibited)):
            true
        default: false
        }
    }
}

extension RoutingRule.Prefix {
    /// Whether the prefix contains an address.
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
