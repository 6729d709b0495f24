import TestSupport

@testable import Sync

/// Two machines of an account, over the rules of a hub.
struct TwoMachines {
    private let folder: TemporaryDirectory
    let hub: SimulatedHub
    let laptop: SimulatedMachine
    let phone: SimulatedMachine
    var past: [(HubRequest, String)] = []

    init() throws {
        folder = try TemporaryDirectory()
        hub = try SimulatedHub(folder: folder.file("hub"))
        laptop = try SimulatedMachine("laptop", folder: folder.file("laptop"), hub: hub)
        phone = try SimulatedMachine("phone", folder: folder.file("phone"), hub: hub)
    }

    /// Sends and fetches everything; without `stale`, what the machine knows of.
    mutating func synchronize(_ machine: SimulatedMachine, stale: Bool = true) throws {
        if stale { try machine.markStale() }
        while try machine.step(.delivered, past: &past) {}
    }
}
