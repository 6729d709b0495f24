import Glibc
import Platform
import TestHubs
import TestSupport

/// A hub on loopback, the waymark-sync of a machine whose daemon wakes apps, and another machine of the same account, which
/// changes records.
final class SyncedMachines {
    let hub: HubProcess
    let machine: SyncMachine
    let phone: SyncMachine
    private let group: TemporaryControlGroup?

    /// Both follow the container of the notes. The waymark-sync is the service of the machine, or of a user.
    init(daemon: String, user: uid_t? = nil) throws {
        hub = try HubProcess(more: [])
        // Slices have no meaning for the identity of a service, and several scenes may exist at the same time.
        let slice = "pushes\(getpid())x\(Int.random(in: 0..<1_000_000_000)).slice"
        group = user == nil ? try TemporaryControlGroup("/system.slice/\(slice)/waymark-sync.service") : nil
        machine = try SyncMachine(hub, as: "machine", daemon: daemon, group: group, user: user)
        phone = try SyncMachine(hub, as: "phone")
        for each in [phone, machine] { try each.use() }
    }
}
