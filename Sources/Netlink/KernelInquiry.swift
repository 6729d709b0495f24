import CNetlink
import Glibc
import NetworkPaths
import Reachability

/// Queries the kernel's routing state, rtnetlink(7), over any exchange.
public final class KernelInquiry: Kernel {
    /// How often a list is requested if it changes during the reply. The last reply is used in any case: the change was
    /// announced too, and that announcement will cause another query.
    private static let attempts = 3
    /// More interfaces, addresses or rules than are of any use.
    private static let maximumEntries = 65_536

    private let exchange: any KernelExchange
    private let deviceTypes: DeviceTypes?
    private let request = NetlinkRequest()
    /// The latest batches, the most recent last.
    private var batches: [RequestBatch] = []
    /// The index of the batch that was sent last.
    private var answered: Int?
    /// For the path and the hosts, each with and without a route.
    private static let maximumBatches = 4

    /// Queries over a socket of its own.
    public convenience init(socket: consuming NetlinkSocket) {
        self.init(exchange: QuerySocket(socket))
    }

    /// Queries over this exchange. `readsDeviceTypes` also reads udev's types of interfaces.
    public init(exchange: any KernelExchange, readsDeviceTypes: Bool = true) {
        self.exchange = exchange
        deviceTypes = readsDeviceTypes ? DeviceTypes() : nil
    }

    /// The matching route and the resolved interface, router and source, by two RTM_GETROUTE requests.
    public func route(_ query: RouteQuery) -> RouteAnswer {
        self.query(query, flags: Self.matchFlags(query.destination.family)).answer { self.query(query, flags: 0) }
    }

    /// The resolved interface, router and source, by one RTM_GETROUTE request.
    public func resolvedRoute(_ query: RouteQuery) -> RouteAnswer { self.query(query, flags: 0).resolvedRoute }

    private static func matchFlags(_ family: IPAddress.Family) -> UInt32 {
        // IPv4 reports the main table for every route, unless the request is for the actual table. IPv6 always
        // reports the actual table, and rejects the flag.
        UInt32(family == .ipv4 ? RTM_F_FIB_MATCH | RTM_F_LOOKUP_TABLE : RTM_F_FIB_MATCH)
    }

    private func query(_ query: RouteQuery, flags: UInt32) -> RouteFound {
        begin(query, flags: flags)
        return RouteFound { answer($0) }
    }

    private func begin(_ query: RouteQuery, flags: UInt32) {
        var fixed = rtmsg()
        fixed.rtm_family = query.destination.family.number
        fixed.rtm_dst_len = UInt8(query.destination.family.byteCount * 8)
        fixed.rtm_flags = flags
        if query.source != nil { fixed.rtm_src_len = fixed.rtm_dst_len }
        request.begin(Int(RTM_GETROUTE), fixed)
        request.add(Int(RTA_DST.rawValue), query.destination)
        if let source = query.source { request.add(Int(RTA_SRC.rawValue), source) }
        if let interface = query.interface { request.add(Int(RTA_OIF.rawValue), UInt32(bitPattern: interface)) }
        if let uid = query.uid { request.add(Int(RTA_UID.rawValue), uid) }
    }

    /// The interface with this index, RTM_GETLINK.
    public func link(_ index: Int32) -> Link? {
        // Index 0 would request an interface by name, and no name is given.
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
        // Traffic and error counters would be most of the reply.
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
            // Linux before 4.20 replies with the addresses of all interfaces.
            guard let announced = AddressMessage(message), announced.interface == index else { return nil }
            return announced.address
        }
    }

    /// The neighbour entry of an address on a link, RTM_GETNEIGH.
    public func neighbour(_ address: IPAddress, on index: Int32) -> Neighbour? {
        begin(Gateway(address, on: index))
        var found: NeighbourMessage?
        let end = answer { found = NeighbourMessage($0) }
        return end == .complete && found?.address == address ? found?.neighbour : nil
    }

    private func begin(_ neighbour: Gateway) {
        var fixed = ndmsg()
        fixed.ndm_family = neighbour.address.family.number
        fixed.ndm_ifindex = neighbour.interface
        request.begin(Int(RTM_GETNEIGH), fixed)
        request.add(Int(NDA_DST), neighbour.address)
    }

    /// The routing rules of a family in order of evaluation, RTM_GETRULE.
    public func rules(_ family: IPAddress.Family) -> [RoutingRule]? {
        list({
            var fixed = fib_rule_hdr()
            fixed.family = family.number
            request.begin(Int(RTM_GETRULE), flags: NLM_F_DUMP, fixed)
        }) { RuleMessage($0)?.rule }
    }

    /// Whether this machine forwards packets of other machines, RTM_GETNETCONF for all interfaces.
    public func forwards(_ family: IPAddress.Family) -> Bool? {
        var fixed = netconfmsg()
        fixed.ncm_family = family.number
        request.begin(Int(RTM_GETNETCONF), fixed)
        request.add(Int(NETCONFA_IFINDEX), UInt32(bitPattern: NETCONFA_IFINDEX_ALL))
        var forwards: Bool?
        let end = answer { message in
            guard message.type == Int(RTM_NEWNETCONF) else { return }
            for attribute in message.attributes(after: netconfmsg.self) where attribute.type == Int(NETCONFA_FORWARDING)
            {
                forwards = attribute.value(Int32.self).map { $0 != 0 }
            }
        }
        return end == .complete ? forwards : nil
    }

    /// Requests a list, again a few times if it changes during the reply; nil without a reply.
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

    /// Sends the request, and passes the messages of the reply to `body`; nil if the reply is incomplete.
    private func answer(_ body: (NetlinkMessage) -> Void) -> AnswerReader.End? {
        var reader = AnswerReader()
        let isAnswered = request.withBytes { bytes in
            exchange.perform(bytes) { datagram in
                reader.receive(datagram, body)
                return reader.end != nil
            }
        }
        return isAnswered ? reader.end : nil
    }
}

// Batches of queries

extension KernelInquiry {
    /// Sends several queries in one datagram.
    public func query(_ queries: [KernelQuery]) {
        let index = batch(of: queries)
        answered = index
        batches[index].answers.removeAll(keepingCapacity: true)
        var answers = [UnsafeRawBufferPointer?](repeating: nil, count: batches[index].requestCount)
        batches[index].bytes.withUnsafeMutableBytes { bytes in
            exchange.performAll(bytes) { place, datagram in
                if place < answers.count { answers[place] = datagram }
            }
        }
        batches[index].answers = answers
    }

    /// The reply to one query of the last batch.
    public func answer(at place: Int) -> KernelAnswer? {
        guard let answered, place < batches[answered].queries.count else { return nil }
        guard let first = batches[answered].answer(to: place) else { return nil }
        switch batches[answered].queries[place] {
        case .route:
            let answer = RouteFound(first).answer {
                batches[answered].answer(to: place, second: true).map { RouteFound($0) }
            }
            return answer == .noAnswer ? nil : .route(answer)
        case .resolvedRoute:
            let answer = RouteFound(first).resolvedRoute
            return answer == .noAnswer ? nil : .route(answer)
        case .neighbour(let gateway):
            var neighbour: Neighbour?
            NetlinkMessage.forEach(in: first) { message in
                if let announced = NeighbourMessage(message), announced.address == gateway.address {
                    neighbour = announced.neighbour
                }
                return false
            }
            return .neighbour(neighbour)
        }
    }

    /// The index of the batch of these queries.
    private func batch(of queries: [KernelQuery]) -> Int {
        if let index = batches.firstIndex(where: { $0.queries == queries }) { return index }
        if batches.count == Self.maximumBatches { batches.removeFirst() }
        var batch = RequestBatch(queries)
        for query in queries {
            switch query {
            case .route(let query):
                begin(query, flags: Self.matchFlags(query.destination.family))
                request.withBytes { batch.add(UnsafeRawBufferPointer($0), isFirst: true) }
                begin(query, flags: 0)
                request.withBytes { batch.add(UnsafeRawBufferPointer($0), isFirst: false) }
            case .resolvedRoute(let query):
                begin(query, flags: 0)
                request.withBytes { batch.add(UnsafeRawBufferPointer($0), isFirst: true) }
            case .neighbour(let gateway):
                begin(gateway)
                request.withBytes { batch.add(UnsafeRawBufferPointer($0), isFirst: true) }
            }
        }
        batches.append(batch)
        return batches.count - 1
    }
}
