import Platform

/// What NetworkManager has said of its devices, by their paths: which interface each is, and whether it is metered.
struct MeteredDevices {
    private struct Device {
        var interface = ""
        /// The interface that addresses are on where it is another: a modem's.
        var addressInterface = ""
        var metered: UInt32 = 0
        /// NetworkManager's NMDeviceState; 0 where it was not told.
        var state: UInt32 = 0
    }

    /// How many devices are known at most; the rest is as if NetworkManager did not know it.
    static let most = 256

    private var devices: [String: Device] = [:]

    /// Whether each interface is metered; those are missing of which it is not known.
    var interfaces: [String: Bool] {
        var interfaces: [String: Bool] = [:]
        for device in devices.values {
            guard let isMetered = Self.isMetered(device.metered) else { continue }
            for name in [device.interface, device.addressInterface] where !name.isEmpty {
                interfaces[name] = isMetered || interfaces[name] == true
            }
        }
        return interfaces
    }

    /// The interfaces that NetworkManager manages, and of which it does not know yet whether they are metered: it says so when
    /// their connection is being made, at the latest.
    var undecided: Set<String> {
        var names: Set<String> = []
        for device in devices.values
        where device.state >= Self.leastManaged && Self.isMetered(device.metered) == nil {
            names.formUnion([device.interface, device.addressInterface].filter { !$0.isEmpty })
        }
        return names.subtracting(interfaces.keys)
    }

    /// NM_DEVICE_STATE_UNAVAILABLE: what is less is unmanaged, or unknown.
    private static let leastManaged: UInt32 = 20

    /// Whether there is room for a device; it is known from now on.
    mutating func add(_ path: String) -> Bool {
        if devices[path] != nil { return true }
        guard devices.count < Self.most else { return false }
        devices[path] = Device()
        return true
    }

    /// A device is gone.
    mutating func remove(_ path: String) { devices[path] = nil }

    /// Takes the properties that are told of a device, all or some of them.
    mutating func set(_ properties: [String: BusValue], of path: String) {
        guard var device = devices[path] else { return }
        if let name = properties["Interface"]?.string { device.interface = name }
        if let name = properties["IpInterface"]?.string { device.addressInterface = name }
        if let metered = properties["Metered"]?.uint32 { device.metered = metered }
        if let state = properties["State"]?.uint32 { device.state = state }
        devices[path] = device
    }

    /// NetworkManager's NMMetered: 1 yes, 2 no, 3 a guess that it is, 4 a guess that it is not.
    private static func isMetered(_ value: UInt32) -> Bool? {
        switch value {
        case 1, 3: true
        case 2, 4: false
        default: nil
        }
    }
}
