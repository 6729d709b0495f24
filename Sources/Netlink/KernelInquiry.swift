import CNetlink
import Glibc
import NetworkPaths
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
    /// What was asked at once of late, the latest last.
    private var batches: [RequestBatch] = []
    /// Which of them was asked last.
    private var answered: Int?
    /// The path and hosts, each with a way and without.
    private static let maximumBatches = 4

    /// Asks over a socket of its own.
    public convenience init(socket: consuming NetlinkSocket) {
        self.init(exchange: QuerySocket(socket))
    }

    /// Asks over this exchange, and looks up what udev says of interfaces where `readsDeviceTypes`.
    public init(exchange: any KernelExchange, readsDeviceTypes: Bool = true) {
        self.exchange = exchange
        deviceTypes = readsDeviceTypes ? DeviceTypes() : nil
    }

    /// What the kernel would do with a packet: the route that matches, and what it comes to, RTM_GETROUTE twice.
    public func route(_ query: RouteQuery) -> RouteAnswer {
        self.query(query, flags: Self.matchFlags(query.destination.family)).answer { self.query(query, flags: 0) }
    }

    /// What a packet would have, RTM_GETROUTE.
    public func resolvedRoute(_ query: RouteQuery) -> RouteAnswer { self.query(query, flags: 0).resolvedRoute }

    private static func matchFlags(_ family: IPAddress.Family) -> UInt32 {
        // Version 4 says of every table that it is the main one, unless it is asked to say which; version 6 always
        // does, and refuses to be asked.
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
            guard let announced = AddressMessage(message), announced.interface == index else { return nil }
            return announced.address
        }
    }

    /// What is known of a neighbour on a link, RTM_GETNEIGH.
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

    /// The routing rules of a family in the order they are tried, RTM_GETRULE.
    public func rules(_ family: IPAddress.Family) -> [RoutingRule]? {
        list({
            var fixed = fib_rule_hdr()
            fixed.family = family.number
            request.begin(Int(RTM_GETRULE), flags: NLM_F_DUMP, fixed)
        }) { RuleMessage($0)?.rule }
    }

    /// Whether the kernel forwards what others send, RTM_GETNETCONF for all interfaces.
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
                reader.receive(datagram, body)
                return reader.end != nil
            }
        }
        return isAnswered ? reader.end : nil
    }
}

// Several questions at once

extension KernelInquiry {
    /// Asks several questions, sent in one datagram.
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

    /// What the kernel has said to one of them.
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

    /// Where among the batches these questions are.
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
