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

    /// An empty book.
    public init() {}

    /// Takes out what has changed.
    public mutating func take(_ events: NetworkEvents) {
        if events.overrun {
            empty()
            return
        }
        for index in events.changedLinks {
            links[index] = nil
            if isComplete { changed.insert(index) }
        }
    }

    /// Takes out everything.
    public mutating func empty() {
        links = [:]
        changed = []
        isComplete = false
    }

    /// The interface of this number; nil where there is none, or no answer.
    public mutating func link(_ index: Int32, asking kernel: some Kernel) -> Link? {
        if let known = links[index] { return known }
        guard let link = kernel.link(index) else { return nil }
        links[index] = link
        changed.remove(index)
        return link
    }

    /// All interfaces by number; nil without an answer. Interfaces that have changed are asked for one by one, as machines
    /// with containers have hundreds of others; who finds that the kernel did not answer in between empties the book.
    public mutating func all(asking kernel: some Kernel) -> [Link]? {
        if isComplete {
            for index in changed { _ = link(index, asking: kernel) }
            changed = []
        } else {
            guard let all = kernel.links() else { return nil }
            links = Dictionary(all.map { ($0.index, $0) }) { $1 }
            isComplete = true
        }
        return links.values.sorted { $0.index < $1.index }
    }

    /// The number of the interface that an address's zone names; nil where there is none.
    public mutating func index(ofZone zone: String, asking kernel: some Kernel) -> Int32? {
        if let number = Int32(zone) { return number }
        return all(asking: kernel)?.first { $0.name == zone }?.index
    }
}
