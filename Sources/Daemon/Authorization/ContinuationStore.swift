import Authorization
import Platform

/// Preserves the rights of apps in use (see `Continuation`) and the screen locks for the next process of the daemon in
/// the same boot, however this process ends.
///
/// Threads write the file, because a disk may be slow. While it contains rights that end when their app leaves use, it
/// is written every two seconds, so that the next process knows how long there was no daemon. Otherwise it is only
/// written after changes.
@DaemonActor
final class ContinuationStore {

    private let changes: Changes
    private let file: ContinuationFile
    private let clock: any TimeSource
    private let boot: String
    private var continuation: [AppID: Continuation] = [:]
    private var screens = ScreenLocks()
    private var timer: TimerSource?
    private var number: UInt64 = 0
    private var isWriting = false
    private var isWaiting = false
    private var hasFailed = false
    /// Why the file that was found cannot be used; nil once it is renamed.
    private var flaw: String?

    private enum Phase {
        /// It is not certain yet that this daemon owns the directory.
        case reading
        case keeping
        /// The daemon is ending.
        case leaving
        /// Another daemon owns the directory.
        case over
    }
    private var phase = Phase.reading

    /// How often the time of the last write is updated.
    private static let interval = Duration.seconds(2)

    init(
        stateDirectory: String, changes: Changes, clock: any TimeSource, boot: String = BootIdentity.current()
    ) throws(SystemError) {
        self.changes = changes
        file = ContinuationFile(stateDirectory: stateDirectory)
        self.clock = clock
        self.boot = boot
        timer = try TimerSource(accuracy: .milliseconds(250)) { [weak self] in self?.write() }
    }

    /// The state that an earlier process of this boot left. An app that was in use at that process's end counts as out
    /// of use since its last write.
    func load() -> (apps: [AppID: Continuation], screens: ScreenLocks) {
        switch file.load() {
        case .nothing: return ([:], ScreenLocks())
        case .unusable(let reason):
            flaw = reason
            return ([:], ScreenLocks())
        case .content(let content):
            guard content.boot == boot, boot != BootIdentity.unknown else { return ([:], ScreenLocks()) }
            screens.declared.formUnion(content.screens.declared)
            screens.reported.formUnion(content.screens.reported)
            let apps = content.apps.mapValues { continuation in
                var continuation = continuation
                continuation.outOfUseSince = continuation.outOfUseSince ?? content.heardAt
                return continuation
            }
            return (apps, content.screens)
        }
    }

    /// This daemon owns the state directory, so the file may be written from now on.
    func begin() {
        guard case .reading = phase else { return }
        phase = .keeping
        if let flaw { setAside(because: flaw) }
        write()
    }

    /// Sets the rights to preserve.
    func keep(_ continuing: [AppID: Continuation]) {
        guard case .leaving = phase else {
            continuation = continuing
            return write()
        }
    }

    /// Sets which screens are locked. Returns when that is written, because a restart must not unlock a
    /// screen.
    func keep(_ screens: ScreenLocks) {
        self.screens = screens
        switch phase {
        case .reading, .over: break
        case .keeping, .leaving: save()
        }
    }

    /// Called at the end of the daemon. The present state is preserved for the next process, even if connections end
    /// afterwards. Returns when it is written.
    func leave() {
        guard case .keeping = phase else { return }
        phase = .leaving
        timer?.cancel()
        save()
    }

    /// The decision about an app has changed while the daemon is ending.
    func decided(_ app: AppID, _ grant: Grant) {
        guard case .leaving = phase, let old = continuation[app],
            grant.decidedAt != old.decidedAt || old.isOnce != grant.isOnce
        else { return }
        continuation[app] = nil
        save()
    }

    /// Stops writing, because another daemon owns the directory.
    func giveUp() {
        phase = .over
        timer?.cancel()
    }

    private func setAside(because reason: String) {
        flaw = nil
        var loss = StateLoss(file: ContinuationFile.name, aside: nil, reason: reason)
        do throws(SystemError) { loss.aside = try file.setAside() } catch {
            Log.error("the unusable state of an earlier process stays in its place: \(error)")
        }
        changes.report(.stateLost(loss))
    }

    // Writing

    private func nextContent() -> ContinuationFile.Content {
        number += 1
        return ContinuationFile.Content(
            boot: boot, heardAt: clock.monotonicNanoseconds, apps: continuation, screens: screens)
    }

    private func save() {
        guard boot != BootIdentity.unknown else { return }
        let content = nextContent()
        do throws(SystemError) { try file.save(content, number: number) } catch { complain(error) }
    }

    private func write() {
        guard case .keeping = phase, boot != BootIdentity.unknown else { return }
        if continuation.values.contains(where: \.lapsesWithUse) {
            timer?.arm(after: Self.interval)
        } else {
            timer?.disarm()
        }
        guard !isWriting else { return isWaiting = true }
        if continuation.isEmpty, screens.isEmpty, number == 0, case .nothing = file.load() { return }
        let content = nextContent()
        let number = number
        isWriting = true
        do throws(SystemError) {
            try DetachedThread.start(name: "continuation") { [file] in
                let failure: SystemError?
                do throws(SystemError) {
                    try file.save(content, number: number)
                    failure = nil
                } catch { failure = error }
                DaemonActor.post { [weak self] in self?.wrote(failure) }
            }
        } catch {
            isWriting = false
            complain(error)
        }
    }

    private func wrote(_ failure: SystemError?) {
        isWriting = false
        if let failure { complain(failure) } else { hasFailed = false }
        guard isWaiting else { return }
        isWaiting = false
        write()
    }

    private func complain(_ error: SystemError) {
        if !hasFailed { Log.warning("what apps have until they leave use may end with this process: \(error)") }
        hasFailed = true
    }
}

extension Continuation {
    /// Whether the time of the daemon's end matters for it.
    fileprivate var lapsesWithUse: Bool { outOfUseSince == nil && (isOnce || hasTemporaryFullAccuracy) }
}
