import Durations
import Interfaces
import Platform
import Varlink

/// Starts and thaws services for the daemon, and reports what people do with them: nothing else.
///
/// It knows no position and no event, and starts nothing but a service that a manifest names for the app of an order.
@DaemonActor
public final class Waker {
    private let socketPath: String
    private let manifests: WakeManifests
    private let reports: WakerReports
    private var services: [String: WatchedService] = [:]
    private var manager: ServiceManagerLink?
    private var client: LoopClient?
    private var timer: TimerSource?
    private var pause = DoublingPause(first: .milliseconds(200), longest: .seconds(30))
    private var refusal = ""

    private static let patience = Duration.seconds(10)

    /// A waker for the daemon at this socket and the service manager at another.
    public init(socketPath: String, managerPath: String, manifests: WakeManifests) throws(SystemError) {
        self.socketPath = socketPath
        self.manifests = manifests
        reports = try WakerReports(socketPath: socketPath)
        manager = ServiceManagerLink(
            path: managerPath, onSignal: { [weak self] in self?.handle($0, $1) },
            onEnd: { [weak self] in self?.retry() })
        timer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.connect() }
    }

    /// Connects to the daemon, and does so again whenever the connection is lost.
    public func start() { connect() }

    private func connect() {
        if client == nil { connectToDaemon() }
        if !services.isEmpty, manager?.isConnected == false { connectToManager() }
    }

    private func retry() { timer?.arm(after: pause.next()) }

    // The daemon

    private func connectToDaemon() {
        do throws(VarlinkError) {
            let client = try LoopClient(path: socketPath)
            client.onEnd = { [weak self, weak client] error in
                if let self, self.client === client { lost(error) }
            }
            self.client = client
            client.stream(WakerInterface.Serve(), timeout: Self.patience) { [weak self, weak client] result, _ in
                guard let self, self.client === client else { return }
                switch result {
                case .success(let reply): handle(reply)
                case .failure(let error): lost(error)
                }
            }
        } catch {
            lost(error)
        }
    }

    private func lost(_ error: VarlinkError) {
        client?.close()
        client = nil
        let text = "\(error)"
        // Each reason once: a daemon that does not run is tried again and again.
        if text != refusal { Log.info("the daemon gives no orders: \(text)") }
        refusal = text
        retry()
    }

    private func handle(_ reply: WakerInterface.Serve.Reply) {
        if let apps = reply.watched {
            watch(apps)
        } else if let order = reply.order {
            perform(order)
        } else if let withdrawn = reply.withdrawn {
            services[withdrawn.app]?.withdraw(withdrawn.number)
        } else {
            refusal = ""
            pause.reset()
            reports.proceed()
        }
    }

    private func watch(_ apps: [String]) {
        let units = manifests.units(of: apps)
        Log.debug("the services of \(apps.count) apps are watched, \(units.count) of them by a manifest")
        for (app, service) in services where units[app] != service.unit { services[app] = nil }
        for (app, unit) in units where services[app] == nil { services[app] = service(app, unit) }
        connect()
    }

    private func service(_ app: String, _ unit: String) -> WatchedService? {
        guard let manager else { return nil }
        let service = WatchedService(app: app, unit: unit, manager: manager, reports: reports)
        if manager.isConnected { service.load() }
        return service
    }

    private func perform(_ order: WakerInterface.Order) {
        Log.debug("order \(order.number) for \(order.app)")
        // Read again for each order: the manifest may have changed since the daemon listed the app.
        guard let unit = manifests.unit(of: order.app) else {
            return reports.report(
                WakerInterface.ReportOrder(app: order.app, number: order.number, outcome: .noService))
        }
        if services[order.app]?.unit != unit { services[order.app] = service(order.app, unit) }
        connectToManager()
        services[order.app]?.perform(order.number)
    }

    // The service manager

    private func connectToManager() {
        guard let manager, !manager.isConnected else { return }
        guard manager.connect() else { return retry() }
        pause.reset()
        for service in services.values { service.begin() }
        reports.report(WakerInterface.ReportManager())
    }

    private func handle(_ signal: String, _ message: BusMessage) {
        let manager = "org.freedesktop.systemd1.Manager."
        switch signal {
        case manager + "JobNew", manager + "JobRemoved":
            // JobNew(u id, o job, s unit), JobRemoved(u id, o job, s unit, s result).
            Log.debug("\(signal): \(message.values)")
            guard message.values.count >= 3, let job = message.values[1].path, let unit = message.values[2].string
            else { return }
            for service in services.values where service.unit == unit {
                if signal == manager + "JobNew" {
                    service.jobBegan(job)
                } else {
                    service.jobEnded(job, result: message.values.last?.string ?? "")
                }
            }
        case manager + "UnitFilesChanged": for service in services.values { service.refresh() }
        case manager + "Reloading":
            if message.values.first == .bool(false) { for service in services.values { service.load() } }
        case "org.freedesktop.DBus.Properties.PropertiesChanged":
            // PropertiesChanged(s interface, a{sv} changed, as invalidated).
            guard message.values.count >= 2, message.values[0].string == "org.freedesktop.systemd1.Unit",
                let changed = message.values[1].options
            else { return }
            for service in services.values where service.path == message.path { service.changed(changed) }
        default: break
        }
    }
}
