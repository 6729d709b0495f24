import CLinux

/// Watches a descriptor that it does not own, as `IOSource` does, with the least delay. The loop polls it beside
/// sd-event's own descriptor and calls the handler directly after poll(2). sd-event would process its queues first,
/// which takes as long as reading the data.
///
/// While there is such a source, each wait of the loop costs one more system call.
@DaemonActor
public final class UrgentIOSource {
    fileprivate let descriptor: Int32
    fileprivate let handler: @DaemonActor (IOEvents) -> Void
    private var isCancelled = false

    /// Calls the handler on the loop whenever the descriptor is ready for one of `events`.
    public init(_ descriptor: Int32, _ events: IOEvents, handler: @escaping @DaemonActor (IOEvents) -> Void) {
        self.descriptor = descriptor
        self.handler = handler
        interest = events
        UrgentIOSources.all.add(self)
    }

    /// The events for which the handler is called. Hang-up and failure are always reported.
    public var interest: IOEvents {
        didSet { if interest != oldValue { UrgentIOSources.all.update(self) } }
    }

    /// Stops watching. Must be called before the descriptor is closed, and before the last reference is dropped.
    public func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        UrgentIOSources.all.remove(self)
    }
}

/// The watched sources, with the buffer for poll(2).
@DaemonActor
final class UrgentIOSources {
    static let all = UrgentIOSources()

    private var sources: [UrgentIOSource] = []
    /// The descriptors to poll: sd-event's, then one for each source.
    private var entries: [pollfd] = [pollfd()]

    var isEmpty: Bool { sources.isEmpty }

    fileprivate func add(_ source: UrgentIOSource) {
        sources.append(source)
        entries.append(Self.entry(source))
    }

    fileprivate func update(_ source: UrgentIOSource) {
        if let place = sources.firstIndex(where: { $0 === source }) { entries[place + 1] = Self.entry(source) }
    }

    fileprivate func remove(_ source: UrgentIOSource) {
        guard let place = sources.firstIndex(where: { $0 === source }) else { return }
        sources.remove(at: place)
        entries.remove(at: place + 1)
    }

    /// Waits until sd-event or a source is ready, at most this many milliseconds, or without limit for -1. Calls the
    /// handlers of the sources that are ready.
    func wait(besides loop: Int32, milliseconds: Int32) {
        entries[0] = pollfd(fd: loop, events: Int16(POLLIN), revents: 0)
        let count = entries.withUnsafeMutableBufferPointer { poll($0.baseAddress, nfds_t($0.count), milliseconds) }
        guard count > 0, count > 1 || entries[0].revents == 0 else { return }
        // A handler may add and remove sources.
        var place = 0
        while place < sources.count {
            let ready = entries[place + 1].revents
            entries[place + 1].revents = 0
            let source = sources[place]
            if ready != 0 { source.handler(IOEvents(rawValue: UInt32(UInt16(bitPattern: ready)))) }
            if place < sources.count, sources[place] === source { place += 1 }
        }
    }

    private static func entry(_ source: UrgentIOSource) -> pollfd {
        // The bits of poll(2) are the same as those of epoll_ctl(2).
        pollfd(fd: source.descriptor, events: Int16(truncatingIfNeeded: source.interest.rawValue), revents: 0)
    }
}
