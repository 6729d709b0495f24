import CSystemd
import Glibc
import Platform
import Synchronization

/// A UPower for tests, as far as its display device is concerned: sd-bus on a thread of its own.
public final class UPowerDesk: Sendable {
    /// The properties of the display device that are read.
    public struct Display: Sendable {
        /// 2 for a battery.
        public var kind: UInt32
        /// Whether there is one.
        public var isPresent: Bool
        /// The charge in percent.
        public var percentage: Double
        /// UPower's number of the state.
        public var state: UInt32

        /// A battery of this charge and state, unless the other parameters say otherwise.
        public init(_ percentage: Double, state: UInt32, kind: UInt32 = 2, isPresent: Bool = true) {
            (self.percentage, self.state, self.kind, self.isPresent) = (percentage, state, kind, isPresent)
        }
    }

    private enum Order {
        case change(Display)
        /// Sends a signal to one connection, without being UPower.
        case forge(Display, to: String)
    }

    private static let name = "org.freedesktop.UPower"
    private static let path = "/org/freedesktop/UPower/devices/DisplayDevice"
    private static let properties = "org.freedesktop.DBus.Properties"
    private let state: Mutex<(display: Display, callers: Set<String>)>
    private let desk = BusDesk<Order>()

    /// Joins a bus with this display device, with `ownsName` as its UPower.
    public init(_ bus: PrivateBus, _ display: Display, ownsName: Bool = true) throws {
        state = Mutex((display, []))
        try desk.join(bus, as: ownsName ? Self.name : nil, carryOut: carryOut, handle: handle)
    }

    /// The unique names of the callers.
    public var callers: Set<String> { state.withLock { $0.callers } }
    /// The display device has changed, which is reported.
    public func change(_ display: Display) { desk.order(.change(display)) }
    /// Sends a signal to one connection only.
    public func forge(_ display: Display, to name: String) { desk.order(.forge(display, to: name)) }
    /// Leaves the bus.
    public func leave() { desk.leave() }

    private func carryOut(_ order: Order, _ bus: OpaquePointer) {
        switch order {
        case .change(let display):
            state.withLock { $0.display = display }
            signal(bus, display, to: nil)
        case .forge(let display, let name): signal(bus, display, to: name)
        }
    }

    private func signal(_ bus: OpaquePointer, _ display: Display, to name: String?) {
        DeskMessage.changed(bus, Self.path, "\(Self.name).Device", to: name) { append($0, display) }
    }

    private func handle(_ message: OpaquePointer, _ bus: OpaquePointer) {
        guard sd_bus_message_is_method_call(message, Self.properties, "GetAll") > 0 else { return }
        let sender = String(cString: sd_bus_message_get_sender(message))
        let display = state.withLock { state in
            state.callers.insert(sender)
            return state.display
        }
        DeskMessage.reply(bus, to: message) { reply in
            DeskMessage.container(reply, "a", "{sv}") { append(reply, display) }
        }
    }

    private func append(_ message: OpaquePointer?, _ display: Display) {
        DeskMessage.entry(message, "Type", "u", display.kind)
        DeskMessage.entry(message, "IsPresent", "b", Int32(display.isPresent ? 1 : 0))
        DeskMessage.entry(message, "Percentage", "d", display.percentage)
        DeskMessage.entry(message, "State", "u", display.state)
        // One that nobody reads, of a type that no client knows.
        DeskMessage.entry(message, "UpdateTime", "t", UInt64(1_780_304_400))
    }
}
