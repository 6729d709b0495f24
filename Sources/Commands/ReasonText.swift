import Location

/// Why something cannot be reached, in words.
struct ReasonText {
    let reason: UnreachableReason
    /// The router, where it is known.
    var gateway: String?
    /// The interface's name, where it is known.
    var interface: String?

    /// Part of a sentence, to stand behind a colon.
    var clause: String {
        let interface = interface.map { "the interface \($0)" } ?? "the interface"
        return switch reason {
        case .noRoute: "no route leads there"
        case .unreachableRoute: "a route says that it is unreachable"
        case .prohibited: "a rule or a route forbids it"
        case .blackhole: "a route throws away what is sent there"
        case .noCarrier: "\(interface) has no carrier"
        case .noAddress: "\(interface) has no address to send from"
        case .addressTentative: "the address of \(interface) is not ready yet"
        case .gatewayNotAnswering: "the router\(gateway.map { " \($0)" } ?? "") does not answer"
        case .nameNotFound: "there is no such name"
        case .nameServerNotAnswering: "no name server answers"
        case .resolving: "the name is being looked up"
        case .kernelNotAnswering: "the kernel did not answer"
        }
    }
}
