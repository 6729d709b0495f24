import Platform
import Synchronization

/// Tasks that wait for the desk, which takes as many at once as there are: while a commit waits for the disk, the next requests
/// gather.
final class WaitingTasks: Sendable {
    /// A task, and what is done with its result.
    struct Item: Sendable {
        let task: HubTask
        let completion: @DaemonActor (HubResult) -> Void
    }

    private struct State {
        var items: [Item] = []
        /// Whether the desk takes tasks until there are none.
        var isBusy = false
        var groups = 0
        var tasks = 0
    }

    private let state = Mutex(State())

    /// The most tasks of a group, and bytes of their requests: a group delays the requests that arrive meanwhile.
    private static let mostTasks = 128
    private static let mostBytes = 4 << 20

    /// The number of tasks that wait.
    var count: Int { state.withLock { $0.items.count } }
    /// How many groups of tasks the desk has taken, and how many tasks.
    var taken: (groups: Int, tasks: Int) { state.withLock { ($0.groups, $0.tasks) } }

    /// Adds a task. Returns whether the desk has to be started.
    func add(_ item: Item) -> Bool {
        state.withLock { state in
            state.items.append(item)
            defer { state.isBusy = true }
            return !state.isBusy
        }
    }

    /// The next tasks, for the desk only; empty without any, and then the desk has to be started for later ones.
    func nextGroup() -> [Item] {
        state.withLock { state in
            let group = Self.group(&state)
            state.isBusy = !group.isEmpty
            return group
        }
    }

    /// The next tasks, while the desk has not finished with those before; empty without any.
    func nextGroupEarly() -> [Item] { state.withLock { Self.group(&$0) } }

    private static func group(_ state: inout State) -> [Item] {
        var bytes = 0
        let group = Array(
            state.items.prefix { item in
                defer { bytes += item.task.size }
                return bytes < mostBytes
            }.prefix(mostTasks))
        guard !group.isEmpty else { return [] }
        state.items.removeFirst(group.count)
        state.groups += 1
        state.tasks += group.count
        return group
    }
}
