import Interfaces
import JSONText
import Journal
import Platform
import Storage
import Varlink

/// A client's call of `Journal.Read`: sends pages of stored events, then, if it follows, newly committed events.
///
/// The next page is read only when the client has received the last one, so a slow client costs the memory of one page.
@DaemonActor
final class JournalReader {
    private enum State {
        /// A page is being read or sent.
        case paging
        /// Everything up to this sequence number was sent.
        case following(after: Int64)
        /// An event was committed for which the client had no room. It is read when the client has room again.
        case behind(after: Int64)
    }

    let call: Call
    /// The events that the client may see.
    let scope: AppScope
    private let request: JournalInterface.Read
    private let journal: EventJournal
    private weak var service: JournalService?
    private var state = State.paging

    init(
        _ call: Call, request: JournalInterface.Read, scope: AppScope, journal: EventJournal,
        service: JournalService
    ) {
        self.call = call
        self.scope = scope
        self.request = request
        self.journal = journal
        self.service = service
    }

    /// Whether the call continues after all stored events were sent.
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

    /// Called when events have become durable.
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
            // A request for the newest events gets one page: older events were not requested.
            DaemonActor.assumeIsolated { self?.handle(result, isOnlyPage: order == .last) }
        }
    }

    private func handle(_ result: Result<EventPage, StorageError>, isOnlyPage: Bool) {
        guard !call.isOver else { return }
        switch result {
        case .failure(let error):
            call.fail(error)
            service?.forget(call)
        case .success(let page):
            let isComplete = isOnlyPage || !page.hasMore
            guard call.wantsMore else {
                notify(page.events[...], isComplete: isComplete, continues: false)
                service?.forget(call)
                return
            }
            if isComplete, !isFollowing {
                notify(page.events[...], isComplete: true, continues: false)
                service?.forget(call)
                return
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

    /// Continues when the client has room.
    private func goOn(after sequence: Int64) {
        call.connection.whenDrained { [weak self] in
            guard let self, !call.isOver else { return }
            var query = EventQuery(request)
            query.after = sequence
            state = .paging
            read(query)
        }
    }

    /// Sends events and continues. Everything up to a sequence number is sent after that.
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
        return scope.contains(event)
            && (request.kinds.map { $0.isEmpty || $0.contains(.init(rawValue: event.kind)) } ?? true)
            && (request.app == nil || request.app == event.app)
            && time >= request.since ?? -.infinity && time < request.until ?? .infinity
    }
}

extension Call {
    /// Sets the position from which a call repeated after a restart continues, effective with the next reply.
    func goOn(after number: Int64, without omitted: Set<String> = []) {
        guard case .object(let members) = parameters else { return }
        let others = members.filter { $0.key != "after" && !omitted.contains($0.key) }
        continuation = .object(others + [JSON.Member("after", .integer(number))])
    }
}

extension EventQuery {
    /// The maximum number of events in a reply, also the default.
    private static let mostInOneReply: Int64 = 1_000

    init(_ request: JournalInterface.Read) {
        self.init()
        after = request.after
        sinceMicroseconds = request.since.map { Int64($0 * 1_000_000) }
        untilMicroseconds = request.until.map { Int64($0 * 1_000_000) }
        kinds = (request.kinds ?? []).map(\.rawValue)
        app = request.app
        limit = Int(request.limit ?? Self.mostInOneReply)
    }
}

extension StoredEvent {
    /// Writes the `Event` of `io.waymark.Journal` under the number by which its reader identifies it.
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
