import Platform

/// The devices that NetworkManager has reported, by object path: the interface of each, and whether it is metered.
struct MeteredDevices {
    private struct Device {
        var interface = ""
        /// The interface that has the addresses if it is a different one, as with a modem.
        var addressInterface = ""
        var metered: UInt32 = 0
        /// NetworkManager's NMDeviceState; 0 if it was not reported.
        var state: UInt32 = 0
    }

    /// The maximum number of devices. Any further device is treated as unknown to NetworkManager.
    static let most = 256

    private var devices: [String: Device] = [:]

    /// Whether each interface is metered. Interfaces for which NetworkManager does not know are absent.
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

    /// The interfaces that NetworkManager manages but has not classified as metered or unmetered. It does so at the
    /// latest while it establishes their connection.
    var undecided: Set<String> {
        var names: Set<String> = []
        for device in devices.values
        where device.state >= Self.leastManaged && Self.isMetered(device.metered) == nil {
            names.formUnion([device.interface, device.addressInterface].filter { !$0.isEmpty })
        }
        return names.subtracting(interfaces.keys)
    }

    /// NM_DEVICE_STATE_UNAVAILABLE; a lower state means unmanaged or unknown.
    private static let leastManaged: UInt32 = 20

    /// Adds a device without properties, and returns whether the device is known now: false if the maximum is reached.
    mutating func add(_ path: String) -> Bool {
        if devices[path] != nil { return true }
        guard devices.count < Self.most else { return false }
        devices[path] = Device()
        return true
    }

    /// Removes a device.
    mutating func remove(_ path: String) { devices[path] = nil }

    /// Applies the reported properties of a device, which may be only some of them.
    mutating func set(_ properties: [String: BusValue], of path: String) {
        guard var device = devices[path] else { return }
        if let name = properties["Interface"]?.string { device.interface = name }
        if let name = properties["IpInterface"]?.string { device.addressInterface = name }
        if let metered = properties["Metered"]?.uint32 { device.metered = metered }
        if let state = properties["State"]?.uint32 { device.state = state }
        devices[path] = device
    }

    /// Decodes NetworkManager's NMMetered: 1 yes, 2 no, 3 guessed yes, 4 guessed no.
    private static func isMetered(_ value: UInt32) -> Bool? {
        switch value {
        case 1, 3: true
        case 2, 4: false
        default: nil
        }
    }
}
