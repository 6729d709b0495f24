import Platform

/// Whether a time service keeps the machine's clock right, also where the kernel may not be asked and no mark tells:
/// systemd-timedated.service(8) may ask it, whatever the time service, and tells over the system's message bus, which
/// starts it.
///
/// It is asked only where that decides something, at most once a minute. Until it has answered for the first time the
/// clock counts as kept right; where it does not answer, as not.
@DaemonActor
final class ClockStatus {
    private let clock: any TimeSource
    private let kind: MessageBus.Kind
    private var connection: BusConnection?
    private var request: UInt64?
    private var askedAt: UInt64?
    private var answer: Bool?

    private static let name = "org.freedesktop.timedate1"
    private static let pause: UInt64 = 60_000_000_000

    init(_ kind: MessageBus.Kind = .system, clock: any TimeSource) {
        self.clock = clock
        self.kind = kind
    }

    /// As far as it is known now; where it is not, it is asked for.
    var isSynchronised: Bool { synchronisation ?? true }

    /// The same, where only what was answered counts: not until then, and not where nobody answers.
    var isKnownToBeSynchronised: Bool { synchronisation ?? false }

    private var synchronisation: Bool? {
        if let known = clock.synchronisation { return known }
        query()
        return answer
    }

    private func query() {
        let now = clock.monotonicNanoseconds
        guard connection == nil, askedAt.map({ now - min(now, $0) >= Self.pause }) ?? true else { return }
        askedAt = now
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
                    return settle(nil, "it tells something else")
                }
                settle(isSynchronised, "")
            case .failure(request, _, let text): settle(nil, text)
            default: break
            }
        }
    }

    private func settle(_ reported: Bool?, _ problem: String) {
        if reported == nil { Log.info("nobody tells whether a time service keeps the clock right: \(problem)") }
        answer = reported ?? false
        request = nil
        connection?.cancel()
        connection = nil
    }
}
