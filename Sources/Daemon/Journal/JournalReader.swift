import Interfaces
import JSONText
import Journal
import Platform
import Varlink

/// A client's call of `Journal.Read`: pages while there are more, then, where it follows, what is committed.
///
/// The next page is read only when the client has taken the last, so that a slow client costs one page of memory.
@DaemonActor
final class JournalReader {
    private enum State {
        /// A page is being read, or waits to be taken.
        case paging
        /// Everything up to a sequence has been told.
        case following(after: Int64)
        /// Something was committed that the client had no room for: it is read when it has.
        case behind(after: Int64)
    }

    let call: Call
    /// What of the journal it may see.
    let scope: JournalScope
    private let request: JournalInterface.Read
    private let journal: EventJournal
    private let onEnd: @DaemonActor () -> Void
    private var state = State.paging

    init(
        _ call: Call, request: JournalInterface.Read, scope: JournalScope, journal: EventJournal,
        onEnd: @escaping @DaemonActor () -> Void
    ) {
        self.call = call
        self.scope = scope
        self.request = request
        self.journal = journal
        self.onEnd = onEnd
    }

    /// Whether it goes on when everything is told.
    var isFollowing: Bool { request.follow == true && call.wantsMore }

    /// Reads the first page.
    func start() {
        var query = EventQuery(request)
        if let newest = request.newest {
            query.limit = Int(newest)
            query.order = .last
        }
        read(query)
    }

    /// Events have become durable.
    func committed(_ events: [StoredEvent]) {
        guard case .following(let after) = state, let newest = events.lazy.compactMap(scope.number).last, newest > after
        else { return }
        let wanted = events.filter { scope.number(of: $0) ?? 0 > after && matches($0) }
        guard wanted.isEmpty || call.connection.isDrained else {
            state = .behind(after: after)
            return goOn(after: after)
        }
        state = .following(after: newest)
        if !wanted.isEmpty { notify(wanted[...], isComplete: true, after: newest) }
    }

    private func read(_ query: EventQuery) {
        let order = query.order
        var query = query
        scope.limit(&query)
        journal.read(query) { [weak self] result in
            // Of the newest there is one page: older ones were not asked for.
            DaemonActor.assumeIsolated { self?.handle(result, isOnlyPage: order == .last) }
        }
    }

    private func handle(_ result: Result<EventPage, JournalError>, isOnlyPage: Bool) {
        guard !call.isOver else { return }
        switch result {
        case .failure(let error):
            call.fail(error)
            onEnd()
        case .success(let page):
            let isComplete = isOnlyPage || !page.hasMore
            guard call.wantsMore else {
                notify(page.events[...], isComplete: isComplete, continues: false)
                return onEnd()
            }
            if isComplete, !isFollowing {
                notify(page.events[...], isComplete: true, continues: false)
                return onEnd()
            }
            let reported = isComplete ? page.newest : page.events.last.flatMap(scope.number) ?? page.newest
            notify(page.events[...], isComplete: isComplete, after: reported)
            if isComplete {
                state = .following(after: reported)
            } else {
                goOn(after: reported)
            }
        }
    }

    /// Reads on when the client has room.
    private func goOn(after sequence: Int64) {
        call.connection.whenDrained { [weak self] in
            guard let self, !call.isOver else { return }
            var query = EventQuery(request)
            query.after = sequence
            state = .paging
            read(query)
        }
    }

    /// Tells events and goes on; everything up to a sequence has been told by that.
    private func notify(_ events: ArraySlice<StoredEvent>, isComplete: Bool, after sequence: Int64) {
        call.goOn(after: sequence, without: ["newest"])
        notify(events, isComplete: isComplete, continues: true)
    }

    private func notify(_ events: ArraySlice<StoredEvent>, isComplete: Bool, continues: Bool) {
        call.reply(continues: continues) { writer in
            writer.array("events") { writer in
                for event in events { event.write(scope.number(of: event), to: &writer) }
            }
            writer.member("isComplete", isComplete)
        }
    }

    private func matches(_ event: StoredEvent) -> Bool {
        let time = Double(event.timeMicroseconds) / 1_000_000
        return scope.contains(event) && (request.kinds.map { $0.isEmpty || $0.contains(event.kind) } ?? true)
            && (request.app == nil || request.app == event.app)
            && time >= request.since ?? -.infinity && time < request.until ?? .infinity
    }
}

extension Call {
    /// Made again after a restart, it is to go on behind this number, once the next reply is given.
    func goOn(after number: Int64, without omitted: Set<String> = []) {
        guard case .object(let members) = parameters else { return }
        let others = members.filter { $0.key != "after" && !omitted.contains($0.key) }
        continuation = .object(others + [JSON.Member("after", .integer(number))])
    }
}

extension EventQuery {
    /// The most events in one reply, and how many there are where nothing else is said.
    private static let mostInOneReply: Int64 = 1_000

    init(_ request: JournalInterface.Read) {
        self.init()
        after = request.after
        sinceMicroseconds = request.since.map { Int64($0 * 1_000_000) }
        untilMicroseconds = request.until.map { Int64($0 * 1_000_000) }
        kinds = request.kinds ?? []
        app = request.app
        limit = Int(request.limit ?? Self.mostInOneReply)
    }
}

extension StoredEvent {
    /// Writes the `Event` of `io.waymark.Journal`, under the number by which its reader knows it.
    func write(_ number: Int64?, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("sequence", number)
            writer.member("time", Double(timeMicroseconds) / 1_000_000)
            writer.member("monotonic", Double(monotonicNanoseconds) / 1_000_000_000)
            writer.member("boot", bootID)
            writer.member("kind", kind)
            writer.member("app", app)
            writer.member("user", uid)
            writer.key("details")
            writer.raw(Array(details.utf8))
        }
    }
}
