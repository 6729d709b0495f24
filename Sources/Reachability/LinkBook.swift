/// The latest descriptions of interfaces from the kernel, so that an evaluation of the network queries only those that
/// have changed.
///
/// Even the carrier of an interface in use may be read from here. The kernel announces every change of an interface's
/// flags on the event socket after making it (netdev_state_change, and linkwatch for carriers). An evaluation drains
/// that socket first, and each drained announcement removes its interface from this cache. So an entry is newer than
/// the last announcement about its interface, and a change that is not announced yet will start the next evaluation. If
/// an announcement was lost, the overrun empties the cache. Besides, the kernel's routes report lost carriers
/// themselves in each reply (RTNH_F_LINKDOWN, RTNH_F_DEAD).
public struct LinkBook: Sendable {
    private var links: [Int32: Link] = [:]
    /// Whether every interface was in the cache, except those that have changed since.
    private var isComplete = false
    private var changed: Set<Int32> = []
    /// All of them by index, if they were queried since the last change.
    private var sorted: [Link]?

    /// An empty cache.
    public init() {}

    /// Removes the interfaces that have changed.
    public mutating func apply(_ events: NetworkEvents) {
        if events.overrun {
            empty()
            return
        }
        for index in events.changedLinks { forget(index) }
    }

    private mutating func forget(_ index: Int32) {
        sorted = nil
        links[index] = nil
        if isComplete { changed.insert(index) }
    }

    /// Removes everything.
    public mutating func empty() {
        links = [:]
        changed = []
        sorted = nil
        isComplete = false
    }

    /// The interface with this index; nil if there is none, or no reply.
    public mutating func link(_ index: Int32, querying kernel: some Kernel) -> Link? {
        if let known = links[index] { return known }
        guard let link = kernel.link(index) else { return nil }
        links[index] = link
        sorted = nil
        if !changed.isEmpty { changed.remove(index) }
        return link
    }

    /// The interface with this index, through which the kernel sends if `isUsed`: it is queried again if it was down or without
    /// a carrier. When a carrier returns, the kernel uses the routes through the interface before it announces the interface.
    mutating func link(_ index: Int32, isUsed: Bool, querying kernel: some Kernel) -> Link? {
        if isUsed, let known = links[index], !known.isUp || !known.isRunning {
            forget(index)
        }
        return link(index, querying: kernel)
    }

    /// All interfaces by index; nil without a reply. Interfaces that have changed are queried one by one, because
    /// machines with containers have hundreds of others.
    public mutating func all(querying kernel: some Kernel) -> [Link]? {
        if let sorted { return sorted }
        if isComplete {
            var isMissing = false
            for index in changed where link(index, querying: kernel) == nil { isMissing = true }
            // A missing interface was either removed, or the kernel does not reply. The loopback interface, index 1
            // everywhere, distinguishes the two.
            if isMissing, kernel.link(1) == nil { return nil }
            changed = []
        } else {
            guard let all = kernel.links() else { return nil }
            links = Dictionary(all.map { ($0.index, $0) }) { $1 }
            isComplete = true
        }
        sorted = links.values.sorted { $0.index < $1.index }
        return sorted
    }

    /// The interface that an address's zone names.
    public enum Zone: Equatable, Sendable {
        /// This interface.
        case link(Int32)
        /// There is no interface of that name.
        case missing
        /// The kernel did not reply.
        case unanswered
    }

    /// The interface that an address's zone names, by name or index.
    public mutating func zone(_ text: String, querying kernel: some Kernel) -> Zone {
        // The kernel accepts 0 for any interface, and Swift accepts a plus sign in a number.
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int32(text), number > 0 {
            return .link(number)
        }
        guard let all = all(querying: kernel) else { return .unanswered }
        return all.first { $0.name == text }.map { .link($0.index) } ?? .missing
    }
}
