import Durations
import Glibc

/// Tells when something may have changed in folders, inotify(7), whether they exist yet or not, or in single files.
///
/// Nothing runs while nothing changes. Successive changes are reported once, when it has been quiet for a while, or at the
/// latest a while after the first: the receiver of the report reads the folders again, whatever happened. So too where the kernel had
/// more to say than its queue holds.
///
/// Of a file it is noticed that it appears, is replaced, goes, or is written in place, also by another name or through a
/// mount over it; where it is a link, the same of what it leads to. What its folder holds beside it is nobody's business.
///
/// Where the user's instances or watches of inotify are used up, it tries again by itself, less and less often, and reports a
/// change once it could: there may have been one meanwhile.
@DaemonActor
public final class DirectoryWatcher {
    /// What is known of a change.
    public struct Change: Sendable {
        /// Whether the kernel's queue was full, and it is not known what happened.
        public let overflowed: Bool
        /// Why some folders are not watched any more, if so: out of watches or of memory.
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
    /// Why changes are not noticed, or not all of them; nil where they are.
    public private(set) var failure: SystemError?
    /// How often the kernel's queue was full.
    public private(set) var overflows = 0

    /// The same for a person, and what to do.
    public var problem: String? {
        failure.map { failure in
            switch failure.code {
            case EMFILE: "\(failure); raise fs.inotify.max_user_instances with sysctl"
            case ENOSPC: "\(failure); raise fs.inotify.max_user_watches with sysctl"
            default: "\(failure)"
            }
        }
    }

    /// Watches these folders and files, absolute paths; the handler is called after `quiet` without a change, or
    /// `patience` after the first. Whether they are watched already says `failure`.
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

    /// How many watches of the kernel's it holds.
    public var watchCount: Int { paths?.watchCount ?? 0 }

    /// Watches no longer.
    public func cancel() {
        source?.cancel()
        timer?.cancel()
    }

    // Before the descriptor is closed, and on the loop's thread.
    isolated deinit {
        cancel()
    }

    /// Watches everything anew, or tries again later.
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
        // Another attempt in vain is no change.
        guard hasChanged || failure == nil else { return }
        let change = Change(overflowed: overflowed, failure: failure)
        overflowed = false
        handler(change)
    }
}
