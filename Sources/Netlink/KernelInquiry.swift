import CNetlink
import Glibc
import Location
import Reachability

/// Asks the kernel about routing, rtnetlink(7), over whatever carries questions to it.
public final class KernelInquiry: Kernel {
    /// How often a list is asked for that changes while it is told. What is told the last time is believed: the change
    /// was announced too, and somebody will ask again for it.
    private static let attempts = 3
    /// More interfaces, addresses or rules than anybody looks at.
    private static let maximumEntries = 65_536

    private let exchange: any KernelExchange
    private let deviceTypes: DeviceTypes?
    private let request = NetlinkRequest()

    /// Asks over a socket of its own.
    public convenience init(socket: consuming NetlinkSocket) {
        self.init(exchange: QuestionSocket(socket))
    }

    /// Asks over this exchange, and looks up what udev says of interfaces where `readsDeviceTypes`.
    public init(exchange: any KernelExchange, readsDeviceTypes: Bool = true) {
        self.exchange = exchange
        deviceTypes = readsDeviceTypes ? DeviceTypes() : nil
    }

    /// What the kernel would do with a packet: the route that matches, and what it comes to, RTM_GETROUTE twice.
    public func route(_ question: RouteQuestion) -> RouteAnswer {
        var match: RouteMessage?
        switch ask(question, flags: Self.matchFlags(question.destination.family), { match = $0 }) {
        case .refused(let code): return .refused(code)
        case nil: return .noAnswer
        case .complete, .interrupted: break
        }
        guard var route = match?.route else { return .noAnswer }
        switch ask(question, flags: 0, { route.resolved = $0.resolved }) {
        case .complete, .interrupted, .refused: return .route(route)
        case nil: return .noAnswer
        }
    }

    /// What a packet would have, RTM_GETROUTE.
    public func way(_ question: RouteQuestion) -> RouteAnswer {
        var answer: RouteMessage?
        switch ask(question, flags: 0, { answer = $0 }) {
        case .refused(let code): return .refused(code)
        case nil: return .noAnswer
        case .complete, .interrupted: break
        }
        guard let answer else { return .noAnswer }
        return .route(Route(kind: answer.route.kind, resolved: answer.resolved))
    }

    private static func matchFlags(_ family: IPAddress.Family) -> UInt32 {
        // Version 4 says of every table that it is the main one, unless it is asked to say which; version 6 always
        // does, and refuses to be asked.
        UInt32(family == .ipv4 ? RTM_F_FIB_MATCH | RTM_F_LOOKUP_TABLE : RTM_F_FIB_MATCH)
    }

    private func ask(
        _ question: RouteQuestion, flags: UInt32, _ take: (RouteMessage) -> Void
    ) -> AnswerReader.End? {
        var fixed = rtmsg()
        fixed.rtm_family = question.destination.family.number
        fixed.rtm_dst_len = UInt8(question.destination.family.byteCount * 8)
        fixed.rtm_flags = flags
        if question.source != nil { fixed.rtm_src_len = fixed.rtm_dst_len }
        request.begin(Int(RTM_GETROUTE), fixed)
        request.add(Int(RTA_DST.rawValue), question.destination)
        if let source = question.source { request.add(Int(RTA_SRC.rawValue), source) }
        if let interface = question.interface { request.add(Int(RTA_OIF.rawValue), UInt32(bitPattern: interface)) }
        if let uid = question.uid { request.add(Int(RTA_UID.rawValue), uid) }
        return answer { message in
            if let route = RouteMessage(message) { take(route) }
        }
    }

    /// The interface of this number, RTM_GETLINK.
    public func link(_ index: Int32) -> Link? {
        // Number 0 would ask for the interface of a name that is not given.
        guard index > 0 else { return nil }
        var link: Link?
        beginLinkRequest(index, flags: 0)
        let end = answer { link = LinkMessage($0)?.link }
        return end == .complete && link?.index == index ? link.map(withDeviceType) : nil
    }

    /// All interfaces, RTM_GETLINK.
    public func links() -> [Link]? {
        list({ beginLinkRequest(0, flags: NLM_F_DUMP) }, { LinkMessage($0)?.link })?.map(withDeviceType)
    }

    private func beginLinkRequest(_ index: Int32, flags: Int32) {
        var fixed = ifinfomsg()
        fixed.ifi_index = index
        request.begin(Int(RTM_GETLINK), flags: flags, fixed)
        // Counters of bytes and errors are most of what would be told.
        request.add(Int(IFLA_EXT_MASK), UInt32(RTEXT_FILTER_SKIP_STATS))
    }

    private func withDeviceType(_ link: Link) -> Link {
        guard let deviceTypes else { return link }
        var link = link
        link.deviceType = deviceTypes.type(of: link)
        return link
    }

    /// The addresses of an interface, RTM_GETADDR.
    public func addresses(of index: Int32) -> [InterfaceAddress]? {
        guard index > 0 else { return nil }
        return list({
            var fixed = ifaddrmsg()
            fixed.ifa_index = UInt32(index)
            request.begin(Int(RTM_GETADDR), flags: NLM_F_DUMP, fixed)
        }) { message in
            // A kernel before Linux 4.20 tells those of all interfaces.
            guard let told = AddressMessage(message), told.interface == index else { return nil }
            return told.address
        }
    }

    /// What is known of a neighbour on a link, RTM_GETNEIGH.
    public func neighbour(_ address: IPAddress, on index: Int32) -> Neighbour? {
        var fixed = ndmsg()
        fixed.ndm_family = address.family.number
        fixed.ndm_ifindex = index
        request.begin(Int(RTM_GETNEIGH), fixed)
        request.add(Int(NDA_DST), address)
        var found: NeighbourMessage?
        let end = answer { found = NeighbourMessage($0) }
        return end == .complete && found?.address == address ? found?.neighbour : nil
    }

    /// The routing rules of a family in the order they are tried, RTM_GETRULE.
    public func rules(_ family: IPAddress.Family) -> [RoutingRule]? {
        list({
            var fixed = fib_rule_hdr()
            fixed.family = family.number
            request.begin(Int(RTM_GETRULE), flags: NLM_F_DUMP, fixed)
        }) { RuleMessage($0)?.rule }
    }

    /// A list, asked for again a few times where it changes while it is told; nil where there is no answer.
    private func list<Entry>(_ begin: () -> Void, _ decode: (NetlinkMessage) -> Entry?) -> [Entry]? {
        for attempt in 1...Self.attempts {
            var entries: [Entry] = []
            begin()
            let end = answer { message in
                if entries.count < Self.maximumEntries, let entry = decode(message) { entries.append(entry) }
            }
            switch end {
            case .complete: return entries
            case .interrupted where attempt == Self.attempts: return entries
            case .interrupted: continue
            case .refused, nil: return nil
            }
        }
        return nil
    }

    /// Sends the request, and hands on the messages of its answer; nil where it has no end.
    private func answer(_ body: (NetlinkMessage) -> Void) -> AnswerReader.End? {
        var reader = AnswerReader()
        let isAnswered = request.withBytes { bytes in
            exchange.perform(bytes) { datagram in
                reader.take(datagram, body)
                return reader.end != nil
            }
        }
        return isAnswered ? reader.end : nil
    }
}
