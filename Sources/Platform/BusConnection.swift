/// A connection to a message bus on the event loop.
@DaemonActor
public final class BusConnection {
    /// What is heard of it.
    public enum Event: Sendable {
        /// A message has come.
        case message(BusMessage)
        /// It is at its end.
        case ended(SystemError)
    }

    /// How many messages are taken in one turn of the loop, so that a busy bus starves nothing else.
    private static let maximumPerIteration = 32

    private let bus: MessageBus
    private let handler: @DaemonActor (Event) -> Void
    /// The bus closes its descriptor itself when the connection is lost.
    private var source: DuplicateIOSource?
    private var timer: TimerSource?
    private var isOpen = true

    /// Connects; the handler is called from later turns of the loop.
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
        // It has something to do before anything comes.
        timer?.arm(at: 0)
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

    /// Asks the bus for the signals that a rule describes.
    public func watch(_ rule: String) throws(SystemError) {
        try bus.watch(rule)
        try wait()
    }

    /// Hears no more of it.
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

    // On the loop's thread.
    isolated deinit {
        cancel()
    }
}
