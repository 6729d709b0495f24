import CLinux
import CSystemd
import Glibc

/// A connection to a D-Bus message bus, by sd-bus(3).
///
/// It belongs to one thread and has no callbacks: calls are sent, and `next` returns the received messages, including
/// replies.
public struct MessageBus: ~Copyable {
    /// Selects a bus.
    public enum Kind: Equatable, Sendable {
        /// The bus of the user who runs this program: at `DBUS_SESSION_BUS_ADDRESS`, otherwise in `XDG_RUNTIME_DIR`,
        /// sd_bus_open_user(3).
        case user
        /// The bus of the machine: at `DBUS_SYSTEM_BUS_ADDRESS`, otherwise in /run/dbus, sd_bus_open_system(3).
        case system
        /// The bus at this address.
        case at(String)
        /// A peer that is no bus: a service manager at its own socket, such as `/run/systemd/private`, which exists
        /// without a message bus, too.
        case peer(path: String)

        var name: String {
            switch self {
            case .user: "the user's message bus"
            case .system: "the system's message bus"
            case .at: "the message bus"
            case .peer: "the service manager"
            }
        }
    }

    /// The bus to which it is connected.
    public let kind: Kind
    private let bus: OpaquePointer

    /// Connects. The authentication proceeds with the calls of `next`.
    public init(_ kind: Kind) throws(SystemError) {
        var pointer: OpaquePointer?
        let status =
            switch kind {
            case .user: Self.openUser(&pointer)
            case .system: sd_bus_open_system(&pointer)
            case .at(let address): Self.open(address, &pointer)
            case .peer(let path): Self.open("unix:path=\(Self.escaped(path))", isBus: false, &pointer)
            }
        guard status >= 0, let pointer else { throw SystemError("connect to \(kind.name)", code: -status) }
        self.kind = kind
        bus = pointer
    }

    /// Reads the environment itself, because libsystemd ignores these variables in a setgid program. Such a program
    /// must not execute anything that they name: an address may be a command (`unixexec:`), which would run with the
    /// program's group.
    private static func openUser(_ pointer: inout OpaquePointer?) -> Int32 {
        guard geteuid() != getuid() || getegid() != getgid() else { return sd_bus_open_user(&pointer) }
        if let address = ProcessEnvironment.value("DBUS_SESSION_BUS_ADDRESS") {
            let isSockets = address.split(separator: ";").allSatisfy { $0.hasPrefix("unix:") }
            return isSockets ? open(address, &pointer) : -EPERM
        }
        guard let folder = ProcessEnvironment.value("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return -ENOENT }
        return open("unix:path=\(escaped(folder))/bus", &pointer)
    }

    /// Escapes a value of an address, D-Bus Specification, "Server addresses".
    private static func escaped(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            let isPlain =
                (97...122).contains(byte | 0x20) || (48...57).contains(byte) || "-_/.".utf8.contains(byte)
            if isPlain {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16)
                result += "%" + String(repeating: "0", count: 2 - digits.count) + digits
            }
        }
    }

    private static func open(_ address: String, isBus: Bool = true, _ pointer: inout OpaquePointer?) -> Int32 {
        var bus: OpaquePointer?
        var status = sd_bus_new(&bus)
        if status >= 0 { status = sd_bus_set_address(bus, address) }
        if status >= 0 { status = sd_bus_set_bus_client(bus, isBus ? 1 : 0) }
        if status >= 0 { status = sd_bus_start(bus) }
        if status >= 0 { pointer = bus } else { sd_bus_unref(bus) }
        return status
    }

    deinit {
        // Without flushing, which could block without limit. Messages were sent as far as the bus accepted them.
        sd_bus_close(bus)
        sd_bus_unref(bus)
    }

    /// The destination and name of a method.
    public struct Method: Equatable, Sendable {
        /// The name on the bus.
        public var destination: String
        /// The path of the object.
        public var path: String
        /// The interface and the name of the method.
        public var interface, member: String

        /// A method of an object.
        public init(destination: String, path: String, interface: String, member: String) {
            self.destination = destination
            self.path = path
            self.interface = interface
            self.member = member
        }
    }

    /// Sends a call and returns its number, which identifies its reply. The bus starts the destination's service if it
    /// can, unless `startsService` is false.
    @discardableResult
    public func send(
        _ method: Method, _ arguments: [BusValue] = [], startsService: Bool = true
    ) throws(SystemError) -> UInt64 {
        var pointer: OpaquePointer?
        try check(
            sd_bus_message_new_method_call(
                bus, &pointer, method.destination, method.path, method.interface, method.member), method.member)
        guard let pointer else { throw SystemError("make a message", code: ENOMEM, subject: method.member) }
        defer { sd_bus_message_unref(pointer) }
        if !startsService { try check(sd_bus_message_set_auto_start(pointer, 0), method.member) }
        for argument in arguments { try append(argument, to: pointer) }
        var number: UInt64 = 0
        try check(sd_bus_send(bus, pointer, &number), method.member)
        return number
    }

    /// Subscribes to the signals that a D-Bus match rule selects.
    public func watch(_ rule: String) throws(SystemError) {
        let bus = "org.freedesktop.DBus"
        try send(
            Method(destination: bus, path: "/org/freedesktop/DBus", interface: bus, member: "AddMatch"),
            [.string(rule)])
    }

    /// The next received message; nil if there is none, in which case the caller has to wait for `interest`.
    /// sd_bus_process(3).
    /// - Throws: If the connection has ended.
    public func next() throws(SystemError) -> BusMessage? {
        while true {
            var pointer: OpaquePointer?
            let status = sd_bus_process(bus, &pointer)
            guard status >= 0 else { throw SystemError("read from \(kind.name)", code: -status) }
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
            try check(descriptor, "the descriptor")
            let events = sd_bus_get_events(bus)
            try check(events, "the events")
            return (descriptor, events)
        }
    }

    /// When `next` has to be called even if the descriptor is not ready, in nanoseconds of CLOCK_MONOTONIC; nil for
    /// never.
    public var deadline: UInt64? {
        var microseconds = UInt64.max
        guard sd_bus_get_timeout(bus, &microseconds) > 0, microseconds != .max else { return nil }
        return microseconds.multipliedReportingOverflow(by: 1_000).partialValue
    }

    private func check(_ status: Int32, _ subject: String) throws(SystemError) {
        guard status >= 0 else { throw SystemError("use \(kind.name)", code: -status, subject: subject) }
    }

    private func append(_ value: BusValue, to message: OpaquePointer) throws(SystemError) {
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
            // For strings the function expects the pointer itself, not a pointer to it.
            try check(sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), value), "an argument")
        }
        switch value {
        case .string(let value): try text(value)
        case .path(let value):
            try check(sd_bus_message_append_basic(message, CChar(UInt8(ascii: "o")), value), "an argument")
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
        case .double, .uint64, .paths, .structure, .structures, .other:
            throw SystemError("send", code: EINVAL, subject: "a value of an unknown type")
        }
    }
}
