import Interfaces
import Platform
import Varlink

/// The calls of `Uploads.Monitor`: each receives all uploads at once, and then the changed ones at most twice a second.
/// Without such a call there is no cost.
@DaemonActor
final class UploadStream {
    /// The service that knows the status of each upload.
    weak var service: UploadsService?
    private let clock: any TimeSource
    private var watchers: [ObjectIdentifier: Watcher] = [:]
    private var known: Set<UploadKey> = []
    private var unreported: Set<UploadKey> = []
    private var timer: TimerSource?
    private var reportedAt: UInt64 = 0

    private static let shortestPause: UInt64 = 500_000_000

    private struct Watcher {
        let call: Call
        let scope: AppScope
    }

    init(clock: any TimeSource) throws(SystemError) {
        self.clock = clock
        timer = try TimerSource(accuracy: .milliseconds(20)) { [weak self] in self?.notify() }
    }

    /// Whether there is such a call.
    var isWatched: Bool { !watchers.isEmpty }

    /// Adds a call, and sends it those of the uploads that it may see.
    func add(_ call: Call, _ scope: AppScope, known: Set<UploadKey>) {
        self.known = known
        let watcher = Watcher(call: call, scope: scope)
        watchers[ObjectIdentifier(call)] = watcher
        call.onEnd = { [weak self, unowned call] in self?.remove(call) }
        offer(known, to: watcher, known)
    }

    /// Called when an upload is new or its status has changed.
    func changed(_ key: UploadKey) {
        guard isWatched else { return }
        known.insert(key)
        guard unreported.insert(key).inserted, unreported.count == 1 else { return }
        timer?.arm(at: max(reportedAt + Self.shortestPause, clock.monotonicNanoseconds))
    }

    /// Ends the calls that the condition rejects.
    func end(unless isAllowed: @DaemonActor (Call, AppScope) -> Bool, _ fail: @DaemonActor (Call) -> Void) {
        for watcher in Array(watchers.values) where !isAllowed(watcher.call, watcher.scope) {
            watcher.call.discardOffered()
            fail(watcher.call)
            remove(watcher.call)
        }
    }

    private func remove(_ call: Call) {
        watchers[ObjectIdentifier(call)] = nil
        guard watchers.isEmpty else { return }
        timer?.disarm()
        known = []
        unreported = []
    }

    private func notify() {
        reportedAt = clock.monotonicNanoseconds
        let changed = unreported
        unreported = []
        let all = known
        for watcher in watchers.values { offer(changed, to: watcher, all) }
    }

    /// Offers the changed uploads that a watcher may see, or all of them if it has missed earlier updates.
    private func offer(_ changed: Set<UploadKey>, to watcher: Watcher, _ all: Set<UploadKey>) {
        let mine = Set(watcher.scope.keys(in: changed))
        guard !mine.isEmpty || changed == all else { return }
        watcher.call.offer { [weak service] dropped in
            let uploads = service?.list(dropped > 0 ? Set(watcher.scope.keys(in: all)) : mine) ?? []
            return EncodedReply(UploadsInterface.Monitor.Reply(uploads: uploads), continues: true)
        }
    }
}
