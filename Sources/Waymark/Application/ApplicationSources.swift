import Glibc
import Platform

/// What an app is notified of by the kernel and by logind, on a thread of its own.
final class ApplicationSources: Sendable {
    private let signals = SignalCatcher([SIGTERM, SIGINT, SIGHUP])
    private let stopped = WakeDescriptor()
    private let freezes: FreezeNotices?
    /// Until when the arrival of this process in its control group may still be announced: the kernel announces changes in
    /// intervals of ten milliseconds.
    private let arrival = PollDeadline(seconds: 0.015)
    /// Signalled when every further announcement is that of a freeze.
    private let settled = WakeDescriptor()
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
            settled.signal()
        }
    }

    /// Waits, at most some 15 ms, until each freeze of the process is noticed. To be called after `start`.
    func waitUntilSettled() {
        do throws(SystemError) { _ = try PollDeadline(after: nil).poll(settled.number, for: POLLIN) } catch {
            // The app is launched in any case.
        }
    }

    /// Ends the thread.
    func stop() { stopped.signal() }

    private func watch(_ report: (ApplicationLifeCycle.Input) -> Void) {
        let logins = isService ? nil : LoginNotices()
        var wasPresent = isPresent
        var isSettled = freezes == nil
        if isSettled { settled.signal() }
        // Also if this thread ends early.
        defer { settled.signal() }
        while true {
            if let freezes, !isSettled, arrival.hasPassed {
                // The announcement of the arrival is taken.
                _ = freezes.wasThawed()
                isSettled = true
                settled.signal()
            }
            var waited = [(stopped.number, POLLIN), (signals.number, POLLIN)]
            if let logins { waited.append((logins.number, logins.events)) }
            if let freezes, isSettled { waited.append((freezes.number, POLLPRI)) }
            let ready: [Int32]
            let deadline = isSettled ? PollDeadline(after: nil) : arrival
            do throws(SystemError) { ready = try deadline.wait(for: waited) } catch {
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
