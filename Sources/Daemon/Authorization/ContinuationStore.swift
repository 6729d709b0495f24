import Authorization
import Platform

/// Keeps what goes on over a restart of the daemon, however it ends, within one boot: see `Continuation`; and whose screens
/// somebody said are locked.
///
/// The file is written by threads that may wait for the disk. While something is kept that ends when its app leaves use, it
/// is written again every two seconds: so the next process knows how long nobody was there. Nothing is written else.
@DaemonActor
final class ContinuationStore {

    private let changes: Changes
    private let file: ContinuationFile
    private let clock: any TimeSource
    private let boot: String
    private var continuation: [AppID: Continuation] = [:]
    private var locked: Set<UInt32> = []
    private var timer: TimerSource?
    private var number: UInt64 = 0
    private var isWriting = false
    private var isWaiting = false
    private var hasFailed = false
    /// Why what was found cannot be used, until it is set aside.
    private var flaw: String?

    private enum Phase {
        /// It is not certain yet that the directory is this daemon's.
        case reading
        case keeping
        /// The daemon ends.
        case leaving
        /// The directory is another daemon's.
        case over
    }
    private var phase = Phase.reading

    /// How often it is said anew that the daemon is there.
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

    /// What an earlier process of this boot left, with since when apps are out of use: since then, where they were in use
    /// at its end.
    func load() -> (apps: [AppID: Continuation], locked: Set<UInt32>) {
        switch file.load() {
        case .nothing: return ([:], [])
        case .unusable(let reason):
            flaw = reason
            return ([:], [])
        case .content(let content):
            guard content.boot == boot, boot != BootIdentity.unknown else { return ([:], []) }
            locked.formUnion(content.locked)
            let apps = content.apps.mapValues { continuation in
                var continuation = continuation
                continuation.outOfUseSince = continuation.outOfUseSince ?? content.heardAt
                return continuation
            }
            return (apps, content.locked)
        }
    }

    /// The state directory is this daemon's: from now on the file is written.
    func begin() {
        guard case .reading = phase else { return }
        phase = .keeping
        if let flaw { setAside(because: flaw) }
        write()
    }

    /// This is what is to be kept now.
    func keep(_ continuing: [AppID: Continuation]) {
        guard case .leaving = phase else {
            continuation = continuing
            return write()
        }
    }

    /// These users' screens are locked. Kept when it returns: a restart must not unlock any.
    func keep(locked users: Set<UInt32>) {
        locked = users
        switch phase {
        case .reading, .over: break
        case .keeping, .leaving: save()
        }
    }

    /// The daemon ends: what is kept now holds for the next one, whatever becomes of connections meanwhile. Durable for the
    /// process's end when it returns.
    func leave() {
        guard case .keeping = phase else { return }
        phase = .leaving
        timer?.cancel()
        save()
    }

    /// What was decided of an app has changed, while the daemon ends.
    func decided(_ app: AppID, _ grant: Grant) {
        guard case .leaving = phase, let old = continuation[app],
            grant.decidedAt != old.decidedAt || old.isOnce != grant.isOnce
        else { return }
        continuation[app] = nil
        save()
    }

    /// Nothing is kept or written any more: the directory is another daemon's.
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
            boot: boot, heardAt: clock.monotonicNanoseconds, apps: continuation, locked: locked)
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
        if continuation.isEmpty, locked.isEmpty, number == 0, case .nothing = file.load() { return }
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
    /// Whether it has to be known until when the daemon was there.
    fileprivate var lapsesWithUse: Bool { outOfUseSince == nil && (isOnce || hasTemporaryFullAccuracy) }
}
