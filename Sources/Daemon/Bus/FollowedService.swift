import Glibc
import Platform

/// A service on the system's message bus that is followed while it is there, and never started from here.
///
/// Without a bus nothing runs: a watch on the socket's file reports when a bus appears, and the bus reports when the service
/// does. A lost connection is made again a few times, also one to a socket at which nobody listens yet.
@DaemonActor
final class FollowedService {
    /// What is reported to its user.
    enum Event {
        /// The bus is connected, and is queried for the service.
        case searching
        /// There is no bus at present.
        case unavailable(SystemError)
        /// The bus was disconnected; whether the service was there.
        case lost(SystemError, wasPresent: Bool)
        /// The service is not there.
        case absent
        /// The service is there, perhaps instead of another process of it. Numbers of earlier calls are void.
        case appeared
        /// The service has left the bus.
        case vanished
        /// The values that the call of this number has returned.
        case answer(UInt64, [BusValue])
        /// The call of this number has failed, with the error's message.
        case failure(UInt64, String)
        /// A signal of the service: its interface and name.
        case signal(String, BusMessage)
    }

    /// The number of reconnection attempts after a lost connection. After these, only the bus's socket file is watched.
    private static let mostAttempts = 8
    private static let bus = "org.freedesktop.DBus"
    /// The interface of properties, whose signal `PropertiesChanged` has the interface, the changed ones and the names of others.
    static let properties = "org.freedesktop.DBus.Properties"

    private let kind: MessageBus.Kind
    private let name: String
    private let rules: [String]
    private let socket: String?
    private let handler: @DaemonActor (Event) -> Void
    private var isWanted = false
    private var connection: BusConnection?
    /// The unique bus name of the running service.
    private var owner: String?
    private var search: UInt64?
    private var watcher: DirectoryWatcher?
    private var timer: TimerSource?
    private var pause = DoublingPause(first: .seconds(1), longest: .seconds(60))
    private var attempts = 0

    /// A service of this name that nobody follows yet. `signals` are the rest of match rules for its signals, such as
    /// `interface='…',member='…'`.
    init(
        _ kind: MessageBus.Kind, name: String, signals: [String], handler: @escaping @DaemonActor (Event) -> Void
    ) {
        self.kind = kind
        self.name = name
        self.handler = handler
        let change = "interface='\(Self.bus)',member='NameOwnerChanged',arg0='\(name)'"
        rules =
            ["type='signal',sender='\(Self.bus)',\(change)"] + signals.map { "type='signal',sender='\(name)',\($0)" }
        socket = Self.socket(of: kind)
    }

    /// Whether the service is on the bus.
    var isPresent: Bool { owner != nil }

    /// Begins to follow it.
    func start() {
        isWanted = true
        connect()
    }

    /// Disconnects from the bus. Nothing is reported any more.
    func stop() {
        isWanted = false
        watcher?.cancel()
        watcher = nil
        timer?.cancel()
        timer = nil
        forget()
    }

    /// Calls a method of the service, and returns the number of the call; nil if the connection is lost.
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) -> UInt64? {
        guard let owner else { return nil }
        return send(
            MessageBus.Method(destination: owner, path: path, interface: interface, member: member), arguments)
    }

    private func send(_ method: MessageBus.Method, _ arguments: [BusValue]) -> UInt64? {
        do throws(SystemError) {
            return try connection?.send(method, arguments, startsService: false)
        } catch {
            lost(error)
            return nil
        }
    }

    // The connection

    private func connect() {
        guard isWanted, connection == nil else { return }
        do throws(SystemError) {
            let connection = try BusConnection(kind) { [weak self] in self?.handle($0) }
            self.connection = connection
            for rule in rules { try connection.watch(rule) }
            let query = MessageBus.Method(
                destination: Self.bus, path: "/org/freedesktop/DBus", interface: Self.bus, member: "GetNameOwner")
            search = try connection.send(query, [.string(name)], startsService: false)
            watcher?.cancel()
            watcher = nil
            handler(.searching)
        } catch {
            forget()
            handler(.unavailable(error))
            watchSocket()
            // Without a bus before, only a change of the socket's file shows that there is one now. A bus creates the file before
            // it listens, and no change of the file follows.
            if attempts > 0 || error.code == ECONNREFUSED { tryAgain() }
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
        let wasPresent = isPresent
        forget()
        handler(.lost(error, wasPresent: wasPresent))
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
        search = nil
    }

    // Messages

    private func handle(_ event: BusConnection.Event) {
        switch event {
        case .ended(let error): lost(error)
        case .message(let message): handle(message)
        }
    }

    private func handle(_ message: BusMessage) {
        switch message.kind {
        case .answer(let number):
            // The connection works, so the next loss starts with the first delay again.
            beginAnew()
            guard number == search else { return handler(.answer(number, message.values)) }
            search = nil
            found(message.values.first?.string)
        case .failure(let number, _, let text):
            guard number == search else { return handler(.failure(number, text)) }
            search = nil
            handler(.absent)
        case .signal(let name): handle(signal: name, message)
        case .other: break
        }
    }

    /// Handles a signal only if its sender is the owner of the service's bus name. Any program on the bus can send a signal to
    /// this connection alone.
    private func handle(signal name: String, _ message: BusMessage) {
        if name == "\(Self.bus).NameOwnerChanged", message.sender == Self.bus {
            guard message.values.count == 3, message.values[0].string == self.name else { return }
            return found(message.values[2].string)
        }
        guard let owner, message.sender == owner else { return }
        handler(.signal(name, message))
    }

    private func found(_ name: String?) {
        let name = name?.isEmpty == false ? name : nil
        guard name != owner else { return }
        owner = name
        handler(name == nil ? .vanished : .appeared)
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
