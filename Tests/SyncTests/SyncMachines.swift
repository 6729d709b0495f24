import Hub
import SyncInterface
import TestHubs
import Waymark

/// A hub, and machines that have joined accounts of it, for one test.
struct SyncMachines {
    let hub: HubProcess
    private(set) var machines: [SyncProcess] = []

    /// Machines of one account.
    init(_ devices: String...) throws {
        hub = try HubProcess()
        for device in devices { try add(device) }
    }

    @discardableResult
    mutating func add(_ device: String, of account: String = "alice") throws -> SyncProcess {
        let machine = try SyncProcess()
        try machine.join(hub, as: device, of: account)
        machines.append(machine)
        return machine
    }

    func container(_ index: Int) -> Waymark.Container { machines[index].notesContainer }
    func database(_ index: Int) -> Database { container(index).privateDatabase }

    /// Deletes the zone with the notes of alice as a person does who deletes an app's data.
    func purge() throws {
        let device = try hub.join("console", "alice")
        try device.json(
            "POST", "\(HubDevice.container)/private/zones", #"{"delete":["notes"],"reason":"purged"}"#)
    }
}

extension SyncProcess {
    var notesContainer: Waymark.Container { Container(identifier: Self.container, socketPath: socket) }
}
