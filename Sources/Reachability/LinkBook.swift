/// What interfaces are like, as the kernel described them last, so that a look at the network asks for none that has not
/// changed.
///
/// That an interface in use has a carrier may be read from here. The kernel announces every change of an interface's flags
/// on the events' socket, after it was made (netdev_state_change, and linkwatch for carriers). Whoever looks has drained
/// that socket first, and what was drained has taken the interface out of the book. So an entry is younger than the last
/// announcement there was about its interface, and a change without an announcement yet brings the next look with it. Where
/// an announcement was lost, the overrun empties the book. Besides, the kernel's routes tell of lost carriers themselves
/// with each answer (RTNH_F_LINKDOWN, RTNH_F_DEAD).
public struct LinkBook: Sendable {
    private var links: [Int32: Link] = [:]
    /// Whether every interface was in the book, but for those that have changed since.
    private var isComplete = false
    private var changed: Set<Int32> = []
    /// All of them by number, where they were asked for since the last change.
    private var sorted: [Link]?

    /// An empty book.
    public init() {}

    /// Takes out what has changed.
    public mutating func apply(_ events: NetworkEvents) {
        if events.overrun {
            empty()
            return
        }
        for index in events.changedLinks {
            sorted = nil
            links[index] = nil
            if isComplete { changed.insert(index) }
        }
    }

    /// Takes out everything.
    public mutating func empty() {
        links = [:]
        changed = []
        sorted = nil
        isComplete = false
    }

    /// The interface of this number; nil where there is none, or no answer.
    public mutating func link(_ index: Int32, querying kernel: some Kernel) -> Link? {
        if let known = links[index] { return known }
        guard let link = kernel.link(index) else { return nil }
        links[index] = link
        sorted = nil
        if !changed.isEmpty { changed.remove(index) }
        return link
    }

    /// All interfaces by number; nil without an answer. Interfaces that have changed are asked for one by one, as machines
    /// with containers have hundreds of others.
    public mutating func all(querying kernel: some Kernel) -> [Link]? {
        if let sorted { return sorted }
        if isComplete {
            var isMissing = false
            for index in changed where link(index, querying: kernel) == nil { isMissing = true }
            // Who is not told of an interface that is gone is told of the loopback interface, number 1 everywhere.
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
        /// This one.
        case link(Int32)
        /// There is none of that name.
        case missing
        /// The kernel did not answer.
        case unanswered
    }

    /// The interface that an address's zone names, by name or number.
    public mutating func zone(_ text: String, querying kernel: some Kernel) -> Zone {
        // The kernel takes 0 for any interface, and Swift a plus for a number's.
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int32(text), number > 0 {
            return .link(number)
        }
        guard let all = all(querying: kernel) else { return .unanswered }
        return all.first { $0.name == text }.map { .link($0.index) } ?? .missing
    }
}
