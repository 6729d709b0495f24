import CSystemd
import Glibc
import Platform
import Synchronization

/// A NetworkManager for tests, as far as metered devices are concerned: sd-bus on a thread of its own.
public final class NetworkManagerDesk: Sendable {
    /// A device as it is reported.
    public struct Device: Sendable {
        /// Its interface, and the one that has its addresses.
        public var interface, addressInterface: String
        /// NetworkManager's number for whether it is metered.
        public var metered: UInt32

        /// A device of these parts.
        public init(interface: String, addressInterface: String = "", metered: UInt32) {
            self.interface = interface
            self.addressInterface = addressInterface
            self.metered = metered
        }
    }

    private enum Order {
        case add(String, Device)
        case remove(String)
        case meter(String, UInt32)
        /// Sends a signal about a device to one connection.
        case forge(String, UInt32, to: String)
    }

    private struct State {
        var devices: [String: Device] = [:]
        var callers: Set<String> = []
        var calls = 0
    }

    private static let name = "org.freedesktop.NetworkManager"
    private static let managerPath = "/org/freedesktop/NetworkManager"
    private static let properties = "org.freedesktop.DBus.Properties"
    private let state: Mutex<State>
    private let desk = BusDesk<Order>()

    /// Joins a bus with these devices, with `ownsName` as its NetworkManager.
    public init(_ bus: PrivateBus, _ devices: [String: Device] = [:], ownsName: Bool = true) throws {
        var first = State()
        first.devices = devices
        state = Mutex(first)
        try desk.join(bus, as: ownsName ? Self.name : nil, carryOut: carryOut, handle: handle)
    }

    /// The unique names of the callers.
    public var callers: Set<String> { state.withLock { $0.callers } }
    /// How often it was called.
    public var calls: Int { state.withLock { $0.calls } }

    /// Adds another device.
    public func add(_ number: Int, _ device: Device) { desk.order(.add(Self.path(number), device)) }
    /// Removes a device.
    public func remove(_ number: Int) { desk.order(.remove(Self.path(number))) }
    /// A device is metered, or is not.
    public func meter(_ number: Int, _ value: UInt32) { desk.order(.meter(Self.path(number), value)) }
    /// Sends a signal about a device to one connection only.
    public func forge(_ number: Int, _ value: UInt32, to name: String) {
        desk.order(.forge(Self.path(number), value, to: name))
    }

    /// Leaves the bus.
    public func leave() { desk.leave() }

    /// The path of a device of this number.
    public static func path(_ number: Int) -> String { "\(managerPath)/Devices/\(number)" }

    private func carryOut(_ order: Order, _ bus: OpaquePointer) {
        switch order {
        case .add(let path, let device):
            state.withLock { $0.devices[path] = device }
            signal(bus, "DeviceAdded", path)
        case .remove(let path):
            state.withLock { $0.devices[path] = nil }
            signal(bus, "DeviceRemoved", path)
        case .meter(let path, let value):
            state.withLock { $0.devices[path]?.metered = value }
            change(bus, path, value, to: nil)
        case .forge(let path, let value, let name): change(bus, path, value, to: name)
        }
    }

    private func signal(_ bus: OpaquePointer, _ member: String, _ path: String) {
        var message: OpaquePointer?
        sd_bus_message_new_signal(bus, &message, Self.managerPath, Self.name, member)
        sd_bus_message_append_basic(message, CChar(UInt8(ascii: "o")), path)
        sd_bus_send(bus, message, nil)
        sd_bus_message_unref(message)
    }

    private func change(_ bus: OpaquePointer, _ path: String, _ value: UInt32, to name: String?) {
        DeskMessage.changed(bus, path, "\(Self.name).Device", to: name) { message in
            unreadable(message)
            DeskMessage.entry(message, "Metered", "u", value)
        }
    }

    private func handle(_ message: OpaquePointer, _ bus: OpaquePointer) {
        var type: UInt8 = 0
        sd_bus_message_get_type(message, &type)
        guard Int(type) == SD_BUS_MESSAGE_METHOD_CALL else { return }
        let sender = String(cString: sd_bus_message_get_sender(message))
        let path = String(cString: sd_bus_message_get_path(message))
        let devices = state.withLock { state in
            state.callers.insert(sender)
            state.calls += 1
            return state.devices
        }
        if sd_bus_message_is_method_call(message, Self.name, "GetDevices") > 0 {
            DeskMessage.reply(bus, to: message) { reply in
                DeskMessage.container(reply, "a", "o") {
                    for path in devices.keys.sorted() { DeskMessage.text(reply, path, "o") }
                }
            }
        } else if sd_bus_message_is_method_call(message, Self.properties, "GetAll") > 0, let device = devices[path] {
            DeskMessage.reply(bus, to: message) { reply in
                DeskMessage.container(reply, "a", "{sv}") {
                    unreadable(reply)
                    DeskMessage.entry(reply, "Interface", device.interface)
                    DeskMessage.entry(reply, "IpInterface", device.addressInterface)
                    DeskMessage.entry(reply, "Metered", "u", device.metered)
                }
            }
        } else {
            DeskMessage.refuse(bus, message)
        }
    }

    /// A property of a type that no client reads.
    private func unreadable(_ message: OpaquePointer?) {
        DeskMessage.entry(message, "StateReason", "a{s(uu)}") {
            DeskMessage.container(message, "a", "{s(uu)}") {
                DeskMessage.container(message, "e", "s(uu)") {
                    DeskMessage.text(message, "reason")
                    DeskMessage.container(message, "r", "uu") {
                        for number: UInt32 in [7, 7] { DeskMessage.number(message, "u", number) }
                    }
                }
            }
        }
    }
}
