import Durations
import Glibc

/// Reports possible changes of folders, whether or not they exist yet, and of single files, inotify(7).
///
/// There is no polling. Successive changes are reported once: after a time without changes, or at the latest a given
/// time after the first one. The client then has to read the folders again, because the report does not say what has
/// changed. An overflow of the kernel's queue is reported like a change.
///
/// A change of a file is its creation, replacement, removal, or a write to it, also under another name or through a
/// mount over it. If the file is a symbolic link, the same applies to its target. Changes of other files in the same
/// folder are ignored.
///
/// If the user's inotify instances or watches are exhausted, watching is attempted again with increasing pauses.
/// Success is reported as a change, because there may have been one in between.
@DaemonActor
public final class DirectoryWatcher {
    /// A possible change.
    public struct Change: Sendable {
        /// Whether the kernel's queue overflowed, so that the changes are unknown.
        public let overflowed: Bool
        /// Why some folders are no longer watched, for lack of watches or memory; nil if all are.
        public let failure: SystemError?
    }

    private let folders: [String]
    private let files: [String]
    private let quiet: Duration
    private let patience: Duration
    private let clock: any TimeSource
    private let handler: @DaemonActor (Change) -> Void
    private var paths: WatchedPaths?
    private var source: IOSource?
    private var timer: TimerSource?
    private var deadline: UInt64?
    private var overflowed = false
    private var pause = DoublingPause(first: .seconds(1), longest: .seconds(60))
    /// Why some or all changes are not detected; nil if all are.
    public private(set) var failure: SystemError?
    /// The number of overflows of the kernel's queue.
    public private(set) var overflows = 0

    /// The failure as text for a person, with a remedy.
    public var problem: String? {
        failure.map { failure in
            switch failure.code {
            case EMFILE: "\(failure); raise fs.inotify.max_user_instances with sysctl"
            case ENOSPC: "\(failure); raise fs.inotify.max_user_watches with sysctl"
            default: "\(failure)"
            }
        }
    }

    /// Watches these folders and files (absolute paths). The handler is called after `quiet` without a change, or
    /// `patience` after the first. If watching fails at first, `failure` is set.
    public init(
        _ folders: [String] = [], files: [String] = [], quiet: Duration = .milliseconds(100),
        patience: Duration = .seconds(1),
        clock: any TimeSource = SystemClock(), handler: @escaping @DaemonActor (Change) -> Void
    ) throws(SystemError) {
        self.folders = folders
        self.files = files
        self.quiet = quiet
        self.patience = patience
        self.clock = clock
        self.handler = handler
        timer = try TimerSource(accuracy: .milliseconds(10)) { [weak self] in self?.notify() }
        renew()
    }

    /// The number of inotify watches in use.
    public var watchCount: Int { paths?.watchCount ?? 0 }

    /// Stops watching.
    public func cancel() {
        source?.cancel()
        timer?.cancel()
    }

    // Before the descriptor is closed, and on the loop's thread.
    isolated deinit {
        cancel()
    }

    /// Updates all watches, or schedules another attempt.
    private func renew() {
        do throws(SystemError) {
            if let paths { try paths.renew() } else { try begin() }
            failure = nil
            pause.reset()
        } catch {
            failure = error
            let pause = pause.next()
            Log.debug("\(error); trying again in \(pause)")
            timer?.arm(at: clock.monotonicNanoseconds.after(pause))
        }
    }

    private func begin() throws(SystemError) {
        let paths = try WatchedPaths(folders, files: files)
        source = try IOSource(paths.number, .readable) { [weak self] _ in self?.readEvents() }
        self.paths = paths
    }

    // Events

    private func readEvents() {
        guard let events = paths?.readEvents() else { return }
        if events.overflowed {
            overflows += 1
            overflowed = true
        }
        if events.areOfInterest { schedule() }
    }

    private func schedule() {
        let now = clock.monotonicNanoseconds
        let latest = deadline ?? now.after(patience)
        deadline = latest
        timer?.arm(at: min(latest, now.after(quiet)))
    }

    private func notify() {
        let hasChanged = deadline != nil
        deadline = nil
        renew()
        // A repeated attempt that fails is no change.
        guard hasChanged || failure == nil else { return }
        let change = Change(overflowed: overflowed, failure: failure)
        overflowed = false
        handler(change)
    }
}
