import Location
import Platform

/// Passes tasks to the desk, as many at once as wait: while a commit waits for the disk, the next requests gather.
@DaemonActor
final class TaskQueue {
    private struct Waiting {
        let task: HubTask
        let completion: @DaemonActor (HubResult) -> Void
    }

    private let desk: any HubDesk
    private let clock: any TimeSource
    private var waiting: [Waiting] = []
    private var isBusy = false
    /// What is called with each failure of the engine.
    var report: (@DaemonActor (HubResult) -> Void)?
    /// How many groups of tasks were performed, and how many tasks.
    private(set) var groups = 0
    private(set) var tasks = 0

    /// The most tasks of a group, and bytes of their requests: a group delays the requests that arrive meanwhile.
    private static let mostTasks = 128
    private static let mostBytes = 4 << 20

    init(_ desk: any HubDesk, clock: any TimeSource) {
        self.desk = desk
        self.clock = clock
    }

    /// The number of tasks that wait.
    var count: Int { waiting.count }

    /// Performs a task after those before it.
    func submit(_ task: HubTask, _ completion: @escaping @DaemonActor (HubResult) -> Void) {
        waiting.append(Waiting(task: task, completion: completion))
        next()
    }

    private func next() {
        guard !isBusy, !waiting.isEmpty else { return }
        isBusy = true
        var bytes = 0
        let group = Array(
            waiting.prefix { item in
                defer { bytes += item.task.size }
                return bytes < Self.mostBytes
            }.prefix(Self.mostTasks))
        waiting.removeFirst(group.count)
        groups += 1
        tasks += group.count
        let now = UTCTime(microseconds: clock.utcMicroseconds)
        Task { [desk] in
            let results = await desk.perform(group.map(\.task), at: now)
            isBusy = false
            next()
            for (item, result) in zip(group, results) {
                if result.failure != nil { report?(result) }
                item.completion(result)
            }
        }
    }
}
