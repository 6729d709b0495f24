/// A connection to a D-Bus message bus, served by the event loop.
@DaemonActor
public final class BusConnection {
    /// What the connection reports to its handler.
    public enum Event: Sendable {
        /// A message was received.
        case message(BusMessage)
        /// The connection has ended.
        case ended(SystemError)
    }

    /// The most messages handled in one iteration of the loop, so that a busy bus does not starve other sources.
    private static let maximumPerIteration = 32

    private let bus: MessageBus
    private let handler: @DaemonActor (Event) -> Void
    /// A duplicate, because libsystemd closes its own descriptor when the connection is lost.
    private var source: DuplicateIOSource?
    private var timer: TimerSource?
    private var isOpen = true

    /// Connects. The handler is called from later iterations of the loop.
    public init(
        _ kind: MessageBus.Kind, handler: @escaping @DaemonActor (Event) -> Void
    ) throws(SystemError) {
        bus = try MessageBus(kind)
        self.handler = handler
        let interest = try bus.interest
        source = try DuplicateIOSource(interest.descriptor, IOEvents(rawValue: UInt32(bitPattern: interest.events))) {
            [weak self] _ in self?.process()
        }
        timer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.process() }
        // The connection begins with messages of its own, before the bus sends any.
        timer?.arm(after: .zero)
    }

    /// Sends a call and returns its number, which identifies its reply.
    @discardableResult
    public func send(
        _ method: MessageBus.Method, _ arguments: [BusValue] = [], startsService: Bool = true
    ) throws(SystemError) -> UInt64 {
        let number = try bus.send(method, arguments, startsService: startsService)
        try wait()
        return number
    }

    /// Subscribes to the signals that match a rule.
    public func watch(_ rule: String) throws(SystemError) {
        try bus.watch(rule)
        try wait()
    }

    /// Stops calling the handler.
    public func cancel() {
        isOpen = false
        source?.cancel()
        source = nil
        timer?.cancel()
        timer = nil
    }

    private func process() {
        do throws(SystemError) {
            for _ in 0..<Self.maximumPerIteration {
                guard isOpen, let message = try bus.next() else { break }
                handler(.message(message))
            }
            if isOpen { try wait() }
        } catch {
            cancel()
            handler(.ended(error))
        }
    }

    private func wait() throws(SystemError) {
        source?.interest = IOEvents(rawValue: UInt32(bitPattern: try bus.interest.events))
        if let deadline = bus.deadline { timer?.arm(at: deadline) } else { timer?.disarm() }
    }

    // The source has to be removed on the loop's thread.
    isolated deinit {
        cancel()
    }
}
