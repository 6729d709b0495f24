import CLinux
import CSystemd
import Glibc

/// The message bus of the user who runs this program: D-Bus's session bus, sd-bus(3).
///
/// It belongs to one thread and has no callbacks: calls are sent, and `next` returns what has come, answers among it.
public struct UserBus: ~Copyable {
    private let bus: OpaquePointer

    /// Connects to the bus that `DBUS_SESSION_BUS_ADDRESS` names, else to the one in `XDG_RUNTIME_DIR`,
    /// sd_bus_open_user(3). The bus greets it as soon as `next` is called.
    public init() throws(SystemError) {
        var pointer: OpaquePointer?
        let status = sd_bus_open_user(&pointer)
        guard status >= 0, let pointer else { throw SystemError("connect to the user's message bus", code: -status) }
        bus = pointer
    }

    deinit {
        // Without flushing, which could wait for ever; what was sent left at once as far as the bus took it.
        sd_bus_close(bus)
        sd_bus_unref(bus)
    }

    /// Who is called, and with which method.
    public struct Method: Equatable, Sendable {
        /// The name on the bus.
        public var destination: String
        /// The object's path.
        public var path: String
        /// The interface and the method's name.
        public var interface, member: String

        /// A method of an object.
        public init(destination: String, path: String, interface: String, member: String) {
            self.destination = destination
            self.path = path
            self.interface = interface
            self.member = member
        }
    }

    /// Sends a call and returns its number, by which its answer is told. Whoever is called is started where the bus knows
    /// how.
    @discardableResult
    public func send(_ method: Method, _ arguments: [BusValue] = []) throws(SystemError) -> UInt64 {
        var pointer: OpaquePointer?
        try Self.check(
            sd_bus_message_new_method_call(
                bus, &pointer, method.destination, method.path, method.interface, method.member), method.member)
        guard let pointer else { throw SystemError("make a message", code: ENOMEM, subject: method.member) }
        defer { sd_bus_message_unref(pointer) }
        for argument in arguments { try Self.append(argument, to: pointer) }
        var number: UInt64 = 0
        try Self.check(sd_bus_send(bus, pointer, &number), method.member)
        return number
    }

    /// Asks the bus for the signals that a rule describes, in the form of D-Bus's match rules.
    public func watch(_ rule: String) throws(SystemError) {
        let bus = "org.freedesktop.DBus"
        try send(
            Method(destination: bus, path: "/org/freedesktop/DBus", interface: bus, member: "AddMatch"),
            [.string(rule)])
    }

    /// The next message that has come; nil where none has, and then there is something to wait for. sd_bus_process(3).
    /// - Throws: Where the connection has ended.
    public func next() throws(SystemError) -> BusMessage? {
        while true {
            var pointer: OpaquePointer?
            let status = sd_bus_process(bus, &pointer)
            guard status >= 0 else { throw SystemError("read from the user's message bus", code: -status) }
            if let pointer {
                defer { sd_bus_message_unref(pointer) }
                return BusMessage(pointer)
            }
            if status == 0 { return nil }
        }
    }

    /// The descriptor to wait for and the events of poll(2), sd_bus_get_fd(3).
    public var interest: (descriptor: Int32, events: Int32) {
        get throws(SystemError) {
            let descriptor = sd_bus_get_fd(bus)
            try Self.check(descriptor, "the descriptor")
            let events = sd_bus_get_events(bus)
            try Self.check(events, "the events")
            return (descriptor, events)
        }
    }

    /// When `next` is to be called even where nothing comes, in nanoseconds of CLOCK_MONOTONIC; nil for never.
    public var deadline: UInt64? {
        var microseconds = UInt64.max
        guard sd_bus_get_timeout(bus, &microseconds) > 0, microseconds != .max else { return nil }
        return microseconds.multipliedReportingOverflow(by: 1_000).partialValue
    }

    private static func check(_ status: Int32, _ subject: String) throws(SystemError) {
        guard status >= 0 else { throw SystemError("use the user's message bus", code: -status, subject: subject) }
    }

    private static func append(_ value: BusValue, to message: OpaquePointer) throws(SystemError) {
        func basic<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: Value) throws(SystemError) {
            var value = value
            try check(sd_bus_message_append_basic(message, CChar(UInt8(ascii: type)), &value), "an argument")
        }
        func container(
            _ type: Unicode.Scalar, _ contents: String, _ body: () throws(SystemError) -> Void
        ) throws(SystemError) {
            try check(sd_bus_message_open_container(message, CChar(UInt8(ascii: type)), contents), "an argument")
            try body()
            try check(sd_bus_message_close_container(message), "an argument")
        }
        func text(_ value: String) throws(SystemError) {
            // For strings the pointer itself is given, not a pointer to it.
            try check(sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), value), "an argument")
        }
        switch value {
        case .string(let value): try text(value)
        case .uint32(let value): try basic("u", value)
        case .int32(let value): try basic("i", value)
        case .byte(let value): try basic("y", value)
        case .bool(let value): try basic("b", value ? Int32(1) : 0)
        case .strings(let values):
            try container("a", "s") { () throws(SystemError) in for value in values { try text(value) } }
        case .options(let values):
            try container("a", "{sv}") { () throws(SystemError) in
                for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                    try container("e", "sv") { () throws(SystemError) in
                        try text(name)
                        try container("v", value.signature) { () throws(SystemError) in try append(value, to: message) }
                    }
                }
            }
        case .other: throw SystemError("send", code: EINVAL, subject: "a value of an unknown type")
        }
    }
}
