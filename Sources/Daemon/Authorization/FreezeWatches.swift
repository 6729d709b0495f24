import Authorization
import Platform

/// Watches whether control groups of clients are frozen, with one watch for each group.
@DaemonActor
final class FreezeWatches {
    private struct Watch {
        var watcher: FreezeWatcher
        var processes: Set<Policy.ProcessID>
    }

    private var watches: [ControlGroup: Watch] = [:]
    private let authorizer: Authorizer
    private let changes: Changes

    /// Reports to the policy, and to the other parts, when a process's group is frozen or thawed.
    init(_ authorizer: Authorizer, changes: Changes) {
        self.authorizer = authorizer
        self.changes = changes
    }

    /// Watches the group of a process. Returns whether it is frozen now.
    func add(_ process: Policy.ProcessID, in group: ControlGroup) -> Bool {
        if let watch = watches[group] {
            watches[group]?.processes.insert(process)
            return watch.watcher.isFrozen
        }
        do throws(SystemError) {
            guard let watcher = try FreezeWatcher(group, handler: { [weak self] in self?.changed(group, $0) }) else {
                return false
            }
            watches[group] = Watch(watcher: watcher, processes: [process])
            return watcher.isFrozen
        } catch {
            Log.warning("cannot determine whether a control group is frozen: \(error)")
            return false
        }
    }

    /// Reads again whether a group is frozen, for example because one of its processes has made a call.
    func check(_ group: ControlGroup) { watches[group]?.watcher.check() }

    /// Stops watching the group for a process.
    func remove(_ process: Policy.ProcessID, from group: ControlGroup) {
        guard watches[group]?.processes.remove(process) != nil else { return }
        guard watches[group]?.processes.isEmpty == true else { return }
        watches.removeValue(forKey: group)?.watcher.cancel()
    }

    private func changed(_ group: ControlGroup, _ isFrozen: Bool) {
        for process in watches[group]?.processes ?? [] {
            authorizer.send(.froze(process, isFrozen: isFrozen))
            changes.report(.processFroze(process, isFrozen: isFrozen))
        }
    }
}
