import Durations
import Platform
import Upload

/// The machine's battery, as UPower reports it over the system message bus.
///
/// The monitor watches the bus from the beginning. UPower reports changes of the battery by signals, and the bus reports
/// when UPower starts and ends; the monitor never starts it. If the bus cannot be reached or disconnects the monitor, the
/// monitor connects again when `battery` is read, at most once a minute. After `close` it never connects again.
@DaemonActor
final class BatteryMonitor {
    private enum Query {
        case owner
        case properties
    }

    private static let service = "org.freedesktop.UPower"
    private static let path = "/org/freedesktop/UPower/devices/DisplayDevice"
    private static let device = "org.freedesktop.UPower.Device"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let bus = "org.freedesktop.DBus"
    /// The shortest interval of attempts to connect.
    private static let pause = Duration.seconds(60)

    private let kind: MessageBus.Kind
    private let clock: any TimeSource
    private var connection: BusConnection?
    private var isClosed = false
    private var connectedAt: UInt64
    /// The unique bus name of the running UPower.
    private var owner: String?
    private var queries: [UInt64: Query] = [:]
    private var display = DisplayBattery()

    /// Connects to this bus.
    init(_ kind: MessageBus.Kind = .system, clock: any TimeSource) {
        self.kind = kind
        self.clock = clock
        connectedAt = clock.monotonicNanoseconds
        connect()
    }

    /// Whether the monitor has a connection to the bus.
    var isConnected: Bool { connection != nil }

    /// The battery; nil if the machine has none, if UPower does not run, or if it has not reported the battery yet.
    var battery: Battery? {
        if connection == nil, !isClosed, clock.monotonicNanoseconds >= connectedAt.after(Self.pause) { connect() }
        return display.battery
    }

    /// Disconnects from the bus for good. The battery is nil from then on.
    func close() {
        isClosed = true
        forget()
    }

    private func connect() {
        connectedAt = clock.monotonicNanoseconds
        do throws(SystemError) {
            let connection = try BusConnection(kind) { [weak self] in self?.handle($0) }
            self.connection = connection
            for rule in Self.rules { try connection.watch(rule) }
            try call(.owner)
        } catch {
            Log.debug("UPower cannot be queried for the battery: \(error)")
            forget()
        }
    }

    /// Ends the connection, and with it what is known of the battery.
    private func forget() {
        connection?.cancel()
        connection = nil
        owner = nil
        queries = [:]
        display = DisplayBattery()
    }

    private static let rules = [
        "type='signal',sender='\(bus)',interface='\(bus)',member='NameOwnerChanged',arg0='\(service)'",
        "type='signal',sender='\(service)',interface='\(properties)',path='\(path)',member='PropertiesChanged',"
            + "arg0='\(device)'",
    ]

    private func call(_ query: Query) throws(SystemError) {
        guard let connection else { return }
        let method: MessageBus.Method
        switch query {
        case .owner:
            method = .init(
                destination: Self.bus, path: "/org/freedesktop/DBus", interface: Self.bus, member: "GetNameOwner")
        case .properties:
            method = .init(
                destination: owner ?? Self.service, path: Self.path, interface: Self.properties, member: "GetAll")
        }
        let argument = query == .owner ? Self.service : Self.device
        queries[try connection.send(method, [.string(argument)], startsService: false)] = query
    }

    private func handle(_ event: BusConnection.Event) {
        switch event {
        case .ended(let error):
            Log.debug("the message bus was disconnected, so the battery is unknown: \(error)")
            forget()
        case .message(let message):
            do throws(SystemError) {
                try handle(message)
            } catch {
                Log.debug("UPower cannot be queried for the battery: \(error)")
                forget()
            }
        }
    }

    private func handle(_ message: BusMessage) throws(SystemError) {
        switch message.kind {
        case .answer(let number):
            switch queries.removeValue(forKey: number) {
            case .owner?: try found(message.values.first?.string)
            case .properties?: display.set(message.values.first?.options ?? [:])
            case nil: break
            }
        case .failure(let number, _, let text):
            if queries.removeValue(forKey: number) != nil { Log.debug("the battery is unknown: \(text)") }
        case .signal(let name): try handle(signal: name, message)
        case .other: break
        }
    }

    /// Handles a signal only if its sender is the owner of UPower's bus name. Any program on the bus can send a signal to
    /// this connection alone.
    private func handle(signal name: String, _ message: BusMessage) throws(SystemError) {
        if name == "\(Self.bus).NameOwnerChanged", message.sender == Self.bus {
            guard message.values.count == 3, message.values[0].string == Self.service else { return }
            return try found(message.values[2].string)
        }
        guard let owner, message.sender == owner, name == "\(Self.properties).PropertiesChanged",
            message.path == Self.path, message.values.count >= 2, message.values[0].string == Self.device
        else { return }
        display.set(message.values[1].options ?? [:])
    }

    private func found(_ name: String?) throws(SystemError) {
        let name = name?.isEmpty == false ? name : nil
        guard name != owner else { return }
        owner = name
        queries = [:]
        display = DisplayBattery()
        if name != nil { try call(.properties) }
    }

    // On the loop's thread.
    isolated deinit {
        forget()
    }
}
