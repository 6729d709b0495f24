import Platform

/// The connection to a service manager, over its own socket: calls with their replies, and its signals.
@DaemonActor
final class ServiceManagerLink {
    /// The reply to a call.
    enum Reply {
        case values([BusValue])
        /// The name of the error; empty if the connection has ended.
        case failure(String)
    }

    typealias Handler = @DaemonActor (Reply) -> Void

    private let path: String
    private let onSignal: @DaemonActor (_ name: String, BusMessage) -> Void
    private let onEnd: @DaemonActor () -> Void
    private var connection: BusConnection?
    private var pending: [UInt64: Handler] = [:]

    private static let destination = "org.freedesktop.systemd1"

    /// A link to the manager at this socket, not connected yet. `onEnd` is called when the connection has ended.
    init(
        path: String, onSignal: @escaping @DaemonActor (String, BusMessage) -> Void,
        onEnd: @escaping @DaemonActor () -> Void
    ) {
        self.path = path
        self.onSignal = onSignal
        self.onEnd = onEnd
    }

    /// Whether there is a connection.
    var isConnected: Bool { connection != nil }

    /// Connects, unless there is a connection. Returns whether there is one.
    func connect() -> Bool {
        guard connection == nil else { return true }
        do throws(SystemError) {
            connection = try BusConnection(.peer(path: path)) { [weak self] in self?.handle($0) }
        } catch {
            Log.debug("the service manager cannot be reached: \(error)")
        }
        return connection != nil
    }

    /// Calls a method of the manager.
    func call(_ member: String, _ arguments: [BusValue] = [], _ handler: @escaping Handler) {
        send(path: "/org/freedesktop/systemd1", "\(Self.destination).Manager", member, arguments, handler)
    }

    /// Reads a property of an object.
    func property(
        _ name: String, of path: String, _ interface: String, _ handler: @escaping @DaemonActor (String?) -> Void
    ) {
        send(
            path: path, "org.freedesktop.DBus.Properties", "Get",
            [.string("\(Self.destination).\(interface)"), .string(name)]
        ) { reply in
            if case .values(let values) = reply { handler(values.first?.string ?? "") } else { handler(nil) }
        }
    }

    /// Reads the state of a unit; nil if that is not possible.
    func state(of path: String, _ handler: @escaping @DaemonActor (ServiceState?) -> Void) {
        send(
            path: path, "org.freedesktop.DBus.Properties", "GetAll", [.string("\(Self.destination).Unit")]
        ) { reply in
            guard case .values(let values) = reply, let properties = values.first?.options else { return handler(nil) }
            handler(ServiceState(properties))
        }
    }

    private func send(
        path: String, _ interface: String, _ member: String, _ arguments: [BusValue], _ handler: @escaping Handler
    ) {
        guard let connection else { return handler(.failure("")) }
        let method = MessageBus.Method(
            destination: Self.destination, path: path, interface: interface, member: member)
        do throws(SystemError) {
            pending[try connection.send(method, arguments)] = handler
        } catch {
            Log.warning("the service manager was not called: \(error)")
            handler(.failure(""))
        }
    }

    private func handle(_ event: BusConnection.Event) {
        switch event {
        case .message(let message):
            switch message.kind {
            case .signal(let name): onSignal(name, message)
            case .answer(let number): pending.removeValue(forKey: number)?(.values(message.values))
            case .failure(let number, let name, _): pending.removeValue(forKey: number)?(.failure(name))
            case .other: break
            }
        case .ended(let error):
            Log.info("the connection to the service manager has ended: \(error)")
            connection = nil
            let handlers = pending.values
            pending = [:]
            for handler in handlers { handler(.failure("")) }
            onEnd()
        }
    }
}
