import Platform
import Reachability

/// The interfaces that NetworkManager considers metered, read over the system message bus.
///
/// Without NetworkManager, without a bus, or if the configuration disables it, nothing is known and nothing runs.
@DaemonActor
final class MeteredConnections {
    private enum Query {
        case devices
        case properties(of: String)
    }

    private static let manager = "org.freedesktop.NetworkManager"
    private static let managerPath = "/org/freedesktop/NetworkManager"
    private static let device = "org.freedesktop.NetworkManager.Device"

    private let changes: Changes
    private let kind: MessageBus.Kind
    private var service: FollowedService?
    private var queries: [UInt64: Query] = [:]
    private var devices = MeteredDevices()
    /// Whether a reply of NetworkManager may arrive soon: a query is pending, or NetworkManager left the bus only just
    /// and may return.
    private var isAwaited = false {
        didSet { if isAwaited { callCount += 1 } }
    }
    private var callCount: UInt64 = 0

    /// The latest knowledge of the interfaces.
    private(set) var report = CostReport()

    /// Connects to this bus at once if `isWanted`, otherwise when `apply` enables it. Reports `networkCostsChanged`
    /// whenever `report` changes.
    init(_ kind: MessageBus.Kind = .system, isWanted: Bool, changes: Changes) {
        self.kind = kind
        self.changes = changes
        apply(isWanted: isWanted)
    }

    /// Whether NetworkManager runs on the bus.
    var isPresent: Bool { service?.isPresent ?? false }

    /// Starts or stops querying NetworkManager.
    func apply(isWanted: Bool) {
        guard isWanted != (service != nil) else { return }
        guard isWanted else { return stop() }
        let service = FollowedService(
            kind, name: Self.manager,
            signals: [
                "interface='\(Self.manager)',path='\(Self.managerPath)',member='DeviceAdded'",
                "interface='\(Self.manager)',path='\(Self.managerPath)',member='DeviceRemoved'",
                "interface='\(FollowedService.properties)',member='PropertiesChanged',arg0='\(Self.device)'",
            ]
        ) { [weak self] in self?.handle($0) }
        self.service = service
        service.start()
    }

    /// Disconnects from the bus and forgets what is known.
    func stop() {
        service?.stop()
        service = nil
        forget(isAwaited: false)
    }

    private func handle(_ event: FollowedService.Event) {
        switch event {
        case .searching: forget(isAwaited: true)
        case .unavailable(let error):
            Log.debug("NetworkManager cannot be queried for metered connections: \(error)")
            forget(isAwaited: false)
        case .lost(let error, let wasPresent):
            Log.info("the message bus was disconnected, so metered connections are unknown: \(error)")
            forget(isAwaited: wasPresent)
        case .absent: answered()
        // A NetworkManager that leaves the bus often returns soon, for example after an update.
        case .vanished: forget(isAwaited: true)
        case .appeared:
            forget(isAwaited: true)
            query(.devices)
        case .answer(let number, let values):
            guard let query = queries.removeValue(forKey: number) else { return }
            handle(values, to: query)
            answered()
        case .failure(let number, let text):
            if case .properties(let path)? = queries.removeValue(forKey: number) {
                Log.debug("a device of NetworkManager is ignored: \(text)")
                devices.remove(path)
            }
            answered()
        case .signal(let name, let message): handle(signal: name, message)
        }
    }

    private func forget(isAwaited: Bool) {
        self.isAwaited = isAwaited
        queries = [:]
        devices = MeteredDevices()
        notify()
    }

    private func notify() {
        let new = CostReport(
            metered: devices.interfaces, undecided: devices.undecided, awaited: isAwaited ? callCount : nil)
        guard new != report else { return }
        report = new
        changes.report(.networkCostsChanged(new))
    }

    private func query(_ query: Query) {
        let number =
            switch query {
            case .devices: service?.call(Self.managerPath, Self.manager, "GetDevices")
            case .properties(let path):
                service?.call(path, FollowedService.properties, "GetAll", [.string(Self.device)])
            }
        if let number { queries[number] = query }
    }

    /// Called after a reply or an error. When no query is left, everything that NetworkManager knows is known here,
    /// too.
    private func answered() {
        if queries.isEmpty { isAwaited = false }
        notify()
    }

    private func handle(_ values: [BusValue], to query: Query) {
        switch query {
        case .devices: for path in values.first?.strings ?? [] { add(path) }
        case .properties(let path): devices.set(values.first?.options ?? [:], of: path)
        }
    }

    private func handle(signal name: String, _ message: BusMessage) {
        switch name {
        case "\(Self.manager).DeviceAdded":
            if case .path(let path)? = message.values.first { add(path) }
        case "\(Self.manager).DeviceRemoved":
            guard case .path(let path)? = message.values.first else { return }
            devices.remove(path)
            notify()
        case "\(FollowedService.properties).PropertiesChanged":
            guard message.values.count >= 2, message.values[0].string == Self.device else { return }
            devices.set(message.values[1].options ?? [:], of: message.path)
            notify()
        default: break
        }
    }

    private func add(_ path: String) {
        guard devices.add(path), queries.count < 2 * MeteredDevices.most else { return }
        query(.properties(of: path))
    }
}
