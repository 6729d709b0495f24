/// Tells when something may have changed in folders, inotify(7), whether they exist yet or not, or in single files.
///
/// Nothing runs while nothing changes. Changes that follow each other are told once, when it has been quiet for a while, or at the
/// latest a while after the first: who is told reads the folders again, whatever happened. So too where the kernel had
/// more to say than its queue holds.
///
/// Of a file it is noticed that it appears, is replaced, goes, or is written in place, also by another name or through a
/// mount over it; where it is a link, the same of what it leads to. What its folder holds beside it is nobody's business.
@DaemonActor
public final class DirectoryWatcher {
    /// What is known of a change.
    public struct Change: Sendable {
        /// Whether the kernel's queue was full, and it is not known what happened.
        public let overflowed: Bool
        /// Why some folders are not watched any more, if so: out of watches or of memory.
        public let failure: SystemError?
    }

    private let paths: WatchedPaths
    private let quiet: Duration
    private let patience: Duration
    private let clock: any TimeSource
    private let handler: @DaemonActor (Change) -> Void
    private var source: IOSource?
    private var timer: TimerSource?
    private var deadline: UInt64?
    private var overflowed = false
    /// How often the kernel's queue was full.
    public private(set) var overflows = 0

    /// Watches these folders and files, absolute paths; the handler is called after `quiet` without a change, or
    /// `patience` after the first.
    public init(
        _ folders: [String] = [], files: [String] = [], quiet: Duration = .milliseconds(100),
        patience: Duration = .seconds(1),
        clock: any TimeSource = SystemClock(), handler: @escaping @DaemonActor (Change) -> Void
    ) throws(SystemError) {
        paths = try WatchedPaths(folders, files: files)
        self.quiet = quiet
        self.patience = patience
        self.clock = clock
        self.handler = handler
        source = try IOSource(paths.number, .readable) { [weak self] _ in self?.readEvents() }
        timer = try TimerSource(accuracy: .milliseconds(10)) { [weak self] in self?.tell() }
    }

    /// How many watches of the kernel's it holds.
    public var watchCount: Int { paths.watchCount }

    /// Watches no longer.
    public func cancel() {
        source?.cancel()
        timer?.cancel()
    }

    // Before the descriptor is closed, and on the loop's thread.
    isolated deinit {
        cancel()
    }

    // Events

    private func readEvents() {
        let events = paths.readEvents()
        if events.overflowed {
            overflows += 1
            overflowed = true
        }
        if events.areOfInterest { schedule() }
    }

    private func schedule() {
        let now = clock.monotonicNanoseconds
        let latest = deadline ?? now.addingClamped(patience.nanoseconds)
        deadline = latest
        timer?.arm(at: min(latest, now.addingClamped(quiet.nanoseconds)))
    }

    private func tell() {
        deadline = nil
        var failure: SystemError?
        do throws(SystemError) { try paths.renew() } catch { failure = error }
        let change = Change(overflowed: overflowed, failure: failure)
        overflowed = false
        handler(change)
    }
}
