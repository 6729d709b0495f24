import Glibc
import Platform
import Reachability

/// The interfaces that NetworkManager considers metered, read over the system message bus.
///
/// Without NetworkManager, without a bus, or if the configuration disables it, nothing is known and nothing runs. The
/// bus reports when NetworkManager appears; a watch on the socket's file reports when a bus appears. NetworkManager is
/// never started from here.
@DaemonActor
final class MeteredConnections {
    private enum Query {
        case owner
        case devices
        case properties(of: String)
    }

    /// The number of reconnection attempts after a lost connection. After these, only the bus's socket file is watched.
    private static let mostAttempts = 8

    private static let manager = "org.freedesktop.NetworkManager"
    private static let managerPath = "/org/freedesktop/NetworkManager"
    private static let device = "org.freedesktop.NetworkManager.Device"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let bus = "org.freedesktop.DBus"

    private let kind: MessageBus.Kind
    private let socket: String?
    private let changes: Changes
    private var isWanted = false
    private var connection: BusConnection?
    /// The unique bus name of the running NetworkManager.
    private var owner: String?
    private var queries: [UInt64: Query] = [:]
    private var devices = MeteredDevices()
    private var watcher: DirectoryWatcher?
    private var timer: TimerSource?
    private var pause = DoublingPause(first: .seconds(1), longest: .seconds(60))
    private var attempts = 0
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
        socket = Self.socket(of: kind)
        apply(isWanted: isWanted)
    }

    /// Whether NetworkManager runs on the bus.
    var isPresent: Bool { owner != nil }

    /// Starts or stops querying NetworkManager.
    func apply(isWanted: Bool) {
        guard isWanted != self.isWanted else { return }
        self.isWanted = isWanted
        if isWanted { connect() } else { stop() }
    }

    /// Disconnects from the bus and forgets what is known.
    func stop() {
        isWanted = false
        watcher?.cancel()
        watcher = nil
        timer?.cancel()
        timer = nil
        isAwaited = false
        forget()
    }

    // The connection

    private func connect() {
        guard isWanted, connection == nil else { return }
        do throws(SystemError) {
            let connection = try BusConnection(kind) { [weak self] in self?.handle($0) }
            self.connection = connection
            for rule in Self.rules { try connection.watch(rule) }
            try call(.owner)
            isAwaited = true
            notify()
            watcher?.cancel()
            watcher = nil
        } catch {
            Log.debug("NetworkManager cannot be queried for metered connections: \(error)")
            isAwaited = false
            forget()
            watchSocket()
            // Without a bus before, only a change of the socket's file shows that there is one now.
            if attempts > 0 { tryAgain() }
        }
    }

    /// Watches the directory of the bus's socket and connects once for each change of the socket's file.
    private func watchSocket() {
        guard watcher == nil, let socket else { return }
        do throws(SystemError) {
            watcher = try DirectoryWatcher(files: [socket]) { [weak self] _ in
                self?.beginAnew()
                self?.connect()
            }
        } catch {
            Log.warning("the message bus cannot be watched for, so its start is not noticed: \(error)")
        }
    }

    private func lost(_ error: SystemError) {
        Log.info("the message bus was disconnected, so metered connections are unknown: \(error)")
        isAwaited = owner != nil
        forget()
        watchSocket()
        tryAgain()
    }

    private func tryAgain() {
        guard attempts < Self.mostAttempts else { return }
        attempts += 1
        do throws(SystemError) {
            if timer == nil { timer = try TimerSource(accuracy: .seconds(1)) { [weak self] in self?.connect() } }
            timer?.arm(after: pause.next())
        } catch {
            Log.warning("cannot set the timer to reconnect to the message bus: \(error)")
        }
    }

    private func beginAnew() {
        attempts = 0
        pause.reset()
    }

    private func forget() {
        connection?.cancel()
        connection = nil
        owner = nil
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

    // Calls and replies

    private static let rules = [
        "type='signal',sender='\(bus)',interface='\(bus)',member='NameOwnerChanged',arg0='\(manager)'",
        "type='signal',sender='\(manager)',interface='\(manager)',path='\(managerPath)',member='DeviceAdded'",
        "type='signal',sender='\(manager)',interface='\(manager)',path='\(managerPath)',member='DeviceRemoved'",
        "type='signal',sender='\(manager)',interface='\(properties)',member='PropertiesChanged',arg0='\(device)'",
    ]

    private func call(_ query: Query) throws(SystemError) {
        guard let connection else { return }
        let method: MessageBus.Method
        var arguments: [BusValue] = []
        switch query {
        case .owner:
            method = .init(
                destination: Self.bus, path: "/org/freedesktop/DBus", interface: Self.bus, member: "GetNameOwner")
            arguments = [.string(Self.manager)]
        case .devices:
            method = .init(
                destination: owner ?? Self.manager, path: Self.managerPath, interface: Self.manager,
                member: "GetDevices")
        case .properties(let path):
            method = .init(
                destination: owner ?? Self.manager, path: path, interface: Self.properties, member: "GetAll")
            arguments = [.string(Self.device)]
        }
        queries[try connection.send(method, arguments, startsService: false)] = query
    }

    private func handle(_ event: BusConnection.Event) {
        switch event {
        case .ended(let error): lost(error)
        case .message(let message):
            do throws(SystemError) { try handle(message) } catch { lost(error) }
        }
    }

    private func handle(_ message: BusMessage) throws(SystemError) {
        switch message.kind {
        case .answer(let number):
            guard let query = queries.removeValue(forKey: number) else { return }
            // The connection works, so the next loss starts with the first delay again.
            beginAnew()
            try handle(message.values, to: query)
            answered()
        case .failure(let number, _, let text):
            if case .properties(let path)? = queries.removeValue(forKey: number) {
                Log.debug("a device of NetworkManager is ignored: \(text)")
                devices.remove(path)
            }
            answered()
        case .signal(let name): try handle(signal: name, message)
        case .other: break
        }
    }

    /// Called after a reply or an error. When no query is left, everything that NetworkManager knows is known here,
    /// too.
    private func answered() {
        if queries.isEmpty { isAwaited = false }
        notify()
    }

    private func handle(_ values: [BusValue], to query: Query) throws(SystemError) {
        switch query {
        case .owner: try found(values.first?.string)
        case .devices: for path in values.first?.strings ?? [] { try add(path) }
        case .properties(let path): devices.set(values.first?.options ?? [:], of: path)
        }
    }

    /// Handles a signal only if its sender is the owner of NetworkManager's bus name. Any program on the bus can send a
    /// signal to this connection alone.
    private func handle(signal name: String, _ message: BusMessage) throws(SystemError) {
        if name == "\(Self.bus).NameOwnerChanged", message.sender == Self.bus {
            guard message.values.count == 3, message.values[0].string == Self.manager else { return }
            return try found(message.values[2].string)
        }
        guard let owner, message.sender == owner else { return }
        switch name {
        case "\(Self.manager).DeviceAdded":
            if case .path(let path)? = message.values.first { try add(path) }
        case "\(Self.manager).DeviceRemoved":
            guard case .path(let path)? = message.values.first else { return }
            devices.remove(path)
            notify()
        case "\(Self.properties).PropertiesChanged":
            guard message.values.count >= 2, message.values[0].string == Self.device else { return }
            devices.set(message.values[1].options ?? [:], of: message.path)
            notify()
        default: break
        }
    }

    private func found(_ name: String?) throws(SystemError) {
        let name = name?.isEmpty == false ? name : nil
        guard name != owner else { return }
        owner = name
        queries = [:]
        devices = MeteredDevices()
        // A NetworkManager that leaves the bus often returns soon, for example after an update.
        isAwaited = true
        notify()
        if name != nil { try call(.devices) }
    }

    private func add(_ path: String) throws(SystemError) {
        guard devices.add(path), queries.count < 2 * MeteredDevices.most else { return }
        try call(.properties(of: path))
    }

    // The socket

    /// The path of the bus's socket; nil if the address names none.
    nonisolated static func socket(of kind: MessageBus.Kind) -> String? {
        let address: String
        switch kind {
        case .user: return nil
        case .system:
            address = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) } ?? ""
            if address.isEmpty { return "/run/dbus/system_bus_socket" }
        case .at(let text): address = text
        case .peer(let path): return path
        }
        for option in address.split(whereSeparator: { $0 == ";" || $0 == "," }) {
            let text = option.hasPrefix("unix:") ? option.dropFirst(5) : option
            if text.hasPrefix("path=/") { return String(text.dropFirst(5)) }
        }
        return nil
    }
}
