import Platform

/// Whether a time service synchronizes the machine's clock, for systems on which the kernel may not be queried and no
/// marker file shows it. systemd-timedated.service(8) knows this for every time service and replies over the system
/// message bus, which starts it.
///
/// It is queried only when the result matters, at most once a minute. Before the first reply the clock counts as
/// synchronized; without a reply, as not synchronized.
@DaemonActor
final class ClockStatus {
    private let clock: any TimeSource
    private let kind: MessageBus.Kind
    private var connection: BusConnection?
    private var request: UInt64?
    private var queriedAt: UInt64?
    private var answer: Bool?

    private static let name = "org.freedesktop.timedate1"
    private static let pause: UInt64 = 60_000_000_000

    init(_ kind: MessageBus.Kind = .system, clock: any TimeSource) {
        self.clock = clock
        self.kind = kind
    }

    /// The latest knowledge; a query is started if there is none.
    var isSynchronised: Bool { synchronisation ?? true }

    /// The same, but true only after a positive reply.
    var isKnownToBeSynchronised: Bool { synchronisation ?? false }

    private var synchronisation: Bool? {
        if let known = clock.synchronisation { return known }
        query()
        return answer
    }

    private func query() {
        let now = clock.monotonicNanoseconds
        guard connection == nil, queriedAt.map({ now - min(now, $0) >= Self.pause }) ?? true else { return }
        queriedAt = now
        do throws(SystemError) {
            let connection = try BusConnection(kind) { [weak self] in self?.handle($0) }
            request = try connection.send(
                MessageBus.Method(
                    destination: Self.name, path: "/org/freedesktop/timedate1",
                    interface: "org.freedesktop.DBus.Properties", member: "GetAll"), [.string(Self.name)])
            self.connection = connection
        } catch {
            settle(nil, "\(error)")
        }
    }

    private func handle(_ event: BusConnection.Event) {
        switch event {
        case .ended(let error): settle(nil, "\(error)")
        case .message(let message):
            switch message.kind {
            case .answer(request):
                guard case .bool(let isSynchronised)? = message.values.first?.options?["NTPSynchronized"] else {
                    return settle(nil, "the reply has no NTPSynchronized")
                }
                settle(isSynchronised, "")
            case .failure(request, _, let text): settle(nil, text)
            default: break
            }
        }
    }

    private func settle(_ reported: Bool?, _ problem: String) {
        if reported == nil { Log.info("cannot determine whether the clock is synchronized: \(problem)") }
        answer = reported ?? false
        request = nil
        connection?.cancel()
        connection = nil
    }
}
