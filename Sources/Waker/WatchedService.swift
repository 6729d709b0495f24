import Interfaces
import Platform

/// A service that starts an app: performs orders for it, and reports what its manager and people do with it.
@DaemonActor
final class WatchedService {
    let app: String
    let unit: String
    /// The path of its object; nil until it is loaded.
    private(set) var path: String?
    private let manager: ServiceManagerLink
    private let reports: WakerReports
    private var state: ServiceState?
    private var reportedSetting: ServiceState.Setting?
    /// Whether a person has stopped it, and the daemon has not handled the report of that yet.
    private var wasStopped = false
    /// The order in progress.
    private var order: Int64?
    /// Whether the order waits until it is known whether a person is stopping the service.
    private var isWaiting = false
    /// The jobs of which it is not known what they are, with `ServiceState.starts` at their beginning.
    private var jobs: [String: [UInt64]] = [:]
    /// The stops of which it is not known whether a person has made them.
    private var suspicions = 0
    private var isRefreshing = false
    private var isOutdated = false

    init(app: String, unit: String, manager: ServiceManagerLink, reports: WakerReports) {
        self.app = app
        self.unit = unit
        self.manager = manager
        self.reports = reports
    }

    // Orders

    /// Starts or thaws the service, and reports the result.
    func perform(_ number: Int64) {
        (order, isWaiting) = (number, false)
        load { [weak self] isLoaded in
            guard let self, order == number else { return }
            guard isLoaded else { return report(manager.isConnected ? .noService : .unavailable, number) }
            guard let path else { return }
            // Signals that the manager has sent before arrive before this reply, such as that of a stop.
            manager.state(of: path) { [weak self] state in
                guard let self, order == number else { return }
                guard let state else { return report(.unavailable, number) }
                update(state)
                guard !isInDoubt else {
                    isWaiting = true
                    return
                }
                step(state.step(wasStopped: wasStopped), number)
            }
        }
    }

    /// Ends an order that does not stand any more, as far as it was not performed.
    func withdraw(_ number: Int64) {
        if order == number { order = nil }
    }

    private func step(_ step: ServiceState.Step, _ number: Int64) {
        switch step {
        case .report(.alreadyRunning): report(.alreadyRunning, number)
        case .report(.stopped): report(.stopped, number)
        case .report(.masked): report(.masked, number)
        case .report(.noService): report(.noService, number)
        case .thaw: call("ThawUnit", [.string(unit)], .thawed, number)
        // Fails if a stop of a person is pending, instead of replacing it.
        case .start: call("StartUnit", [.string(unit), .string("fail")], .started, number)
        }
    }

    private func call(
        _ member: String, _ arguments: [BusValue], _ success: WakerInterface.Outcome, _ number: Int64
    ) {
        manager.call(member, arguments) { [weak self] reply in
            guard let self else { return }
            switch reply {
            case .values: report(success, number)
            case .failure(let name): report(Self.outcome(of: name), number)
            }
        }
    }

    /// The result for an error of a service manager.
    static func outcome(of error: String) -> WakerInterface.Outcome {
        switch error {
        case "org.freedesktop.systemd1.UnitMasked": .masked
        case "org.freedesktop.systemd1.NoSuchUnit", "org.freedesktop.systemd1.LoadFailed",
            "org.freedesktop.systemd1.BadUnitSetting":
            .noService
        case "", "org.freedesktop.systemd1.TransactionIsDestructive", "org.freedesktop.systemd1.ShuttingDown",
            "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.NoReply":
            .unavailable
        default: .notStarted
        }
    }

    private func report(_ outcome: WakerInterface.Outcome, _ number: Int64) {
        if order == number { order = nil }
        reports.report(WakerInterface.ReportOrder(app: app, number: number, outcome: outcome))
    }

    // Watching

    /// Begins to watch the service, over a new connection to the manager: announcements of before may be missing.
    func begin() {
        (jobs, path, state) = ([:], nil, nil)
        load()
    }

    /// Has the manager load the service, so that its changes are reported.
    func load(_ completion: @escaping @DaemonActor (Bool) -> Void = { _ in }) {
        manager.call("LoadUnit", [.string(unit)]) { [weak self] reply in
            guard let self else { return }
            guard case .values(let values) = reply, let path = values.first?.path else { return completion(false) }
            self.path = path
            completion(true)
            refresh()
        }
    }

    /// Reads its state again.
    func refresh() {
        guard !isRefreshing else {
            isOutdated = true
            return
        }
        guard let path else { return }
        isRefreshing = true
        manager.state(of: path) { [weak self] state in
            guard let self else { return }
            isRefreshing = false
            if let state { update(state) }
            guard isOutdated else { return }
            isOutdated = false
            refresh()
        }
    }

    private func update(_ new: ServiceState) {
        let before = state
        state = new
        if let setting = new.setting, setting != reportedSetting {
            reportedSetting = setting
            report(setting.observation)
        }
        // The failure first: an app whose service has failed is not only one whose service has ended.
        if new.active == "failed", before != nil, before?.active != "failed" { report(.failed) }
        if before?.isRunning == true, !new.isRunning { report(.ended) }
        if new.isRunning { wasStopped = false }
    }

    /// The manager has announced other properties. It does so before it announces the end of a job.
    func changed(_ properties: [String: BusValue]) {
        guard var new = state else { return }
        new.apply(properties)
        update(new)
        // Whether its file is enabled is announced without the value.
        refresh()
    }

    /// A job of the service has begun: a person may be stopping it.
    func jobBegan(_ job: String) {
        jobs[job] = state?.starts ?? []
        manager.property("JobType", of: job, "Job") { [weak self] type in
            guard let self, let type, jobs.removeValue(forKey: job) != nil else { return }
            if type == "stop" { personMayStop() } else { proceed() }
        }
    }

    /// A job of the service has ended. Where it ended before the manager was queried for it, it was a stop if the service
    /// does not run and was not started meanwhile.
    func jobEnded(_ job: String, result: String) {
        if let starts = jobs.removeValue(forKey: job) {
            if result == "done", let state, state.isDown, state.starts == starts { personMayStop() } else { proceed() }
        }
        refresh()
    }

    /// A stop is a person's, unless the whole machine or the user's manager is stopping.
    private func personMayStop() {
        suspicions += 1
        manager.property("SystemState", of: "/org/freedesktop/systemd1", "Manager") { [weak self] state in
            guard let self else { return }
            suspicions -= 1
            if let state, state != "stopping" {
                wasStopped = true
                reports.report(WakerInterface.ReportService(app: app, observation: .stopped)) { [weak self] in
                    self?.wasStopped = false
                }
            }
            proceed()
        }
    }

    /// Whether it is not known yet whether a person is stopping the service: an order waits for that.
    private var isInDoubt: Bool { !jobs.isEmpty || suspicions > 0 }

    /// Continues with an order that waits.
    private func proceed() {
        guard !isInDoubt, isWaiting, let order else { return }
        isWaiting = false
        perform(order)
    }

    private func report(_ observation: WakerInterface.Observation) {
        reports.report(WakerInterface.ReportService(app: app, observation: observation))
    }
}

extension ServiceState.Setting {
    fileprivate var observation: WakerInterface.Observation {
        switch self {
        case .enabled: .enabled
        case .disabled: .disabled
        case .masked: .masked
        }
    }
}
