import Platform

/// Passes tasks to the desk, and their results to those who wait for them.
@DaemonActor
final class TaskQueue {
    private let desk: any HubDesk
    private let clock: any TimeSource
    private let waiting = WaitingTasks()
    /// What is called with each failure of the engine.
    var report: (@DaemonActor (HubResult) -> Void)?

    init(_ desk: any HubDesk, clock: any TimeSource) {
        self.desk = desk
        self.clock = clock
    }

    /// The number of tasks that wait.
    var count: Int { waiting.count }
    /// How many groups of tasks were performed, and how many tasks.
    var groups: Int { waiting.taken.groups }
    var tasks: Int { waiting.taken.tasks }

    /// Performs a task after those before it.
    func submit(_ task: HubTask, _ completion: @escaping @DaemonActor (HubResult) -> Void) {
        guard waiting.add(WaitingTasks.Item(task: task, completion: completion)) else { return }
        Task { [desk, waiting, clock] in
            await desk.perform(waiting, clock) { group, results in
                DaemonActor.post { self.finish(group, results) }
            }
        }
    }

    private func finish(_ group: [WaitingTasks.Item], _ results: [HubResult]) {
        for (item, result) in zip(group, results) {
            if result.failure != nil { report?(result) }
            item.completion(result)
        }
    }
}
