import Glibc
import Platform

/// What an app is notified of by the kernel and by logind, on a thread of its own.
final class ApplicationSources: Sendable {
    private let signals = SignalCatcher([SIGTERM, SIGINT, SIGHUP])
    private let stopped = WakeDescriptor()
    private let freezes: FreezeNotices?
    private let isService: Bool

    /// Begins to catch the signals.
    init() {
        let group = ControlGroup.own
        isService = group?.systemUnit != nil
        freezes = group.flatMap(FreezeNotices.init)
    }

    /// Whether the person is at the machine, so that what the app declares is in effect. A service has no person.
    var isPresent: Bool {
        guard !isService else { return false }
        return switch LoginNotices.activity(of: getuid()) {
        case .active, .unknown: true
        case .absent: false
        }
    }

    /// Reports from now on what happens.
    func start(_ report: @escaping @Sendable (ApplicationLifeCycle.Input) -> Void) {
        do throws(SystemError) {
            try DetachedThread.start(name: "waymark-app") { [self] in watch(report) }
        } catch {
            // Without a thread no signal could be handled.
            report(.terminate)
        }
    }

    /// Ends the thread.
    func stop() { stopped.signal() }

    private func watch(_ report: (ApplicationLifeCycle.Input) -> Void) {
        let logins = isService ? nil : LoginNotices()
        var wasPresent = isPresent
        // The arrival of the process in its group may be announced a little later, too.
        if let freezes, settles() { _ = freezes.wasThawed() }
        while true {
            var waited = [(stopped.number, POLLIN), (signals.number, POLLIN)]
            if let logins { waited.append((logins.number, logins.events)) }
            if let freezes { waited.append((freezes.number, POLLPRI)) }
            let ready: [Int32]
            do throws(SystemError) { ready = try PollDeadline(after: nil).wait(for: waited) } catch {
                return report(.terminate)
            }
            if ready.contains(stopped.number) { return }
            if ready.contains(signals.number) {
                signals.clear()
                report(.terminate)
            }
            if let freezes, ready.contains(freezes.number), settles(), freezes.wasThawed() { report(.thawed) }
            if let logins, ready.contains(logins.number) {
                logins.clear()
                let isPresent = isPresent
                if isPresent != wasPresent { report(.present(isPresent)) }
                wasPresent = isPresent
            }
        }
    }

    /// Waits for the announcement of a thaw that follows that of the freeze: the kernel makes one in ten milliseconds. Returns
    /// false if the thread is to end.
    private func settles() -> Bool {
        do throws(SystemError) { return try !PollDeadline(seconds: 0.02).poll(stopped.number, for: POLLIN) } catch {
            return true
        }
    }
}
