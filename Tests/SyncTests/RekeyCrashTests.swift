import Cryptography
import JSONText
import Platform
import Records
import Storage
import TestSupport
import TestTraits
import Testing

@testable import Sync

/// A machine is removed from the account, and those that make another key lose everything but their files at one step of it after
/// the other: between two requests, after a request without an answer, before and after what it changes is stored, and while keys
/// are examined.
@Suite(.computes) struct RekeyCrashTests {
    /// Three trusted machines, of which the tablet is removed, with a crash of the others. Returns whether it came.
    private func removeTablet(crash: (Int, SimulatedMachine.Fate)?) throws -> Bool {
        var scene = try KeyScene(["laptop", "phone", "tablet"], crash: crash)
        let (laptop, phone, tablet) = (scene.machines[0], scene.machines[1], scene.machines[2])
        _ = try laptop.edit { (tables, row, account) throws(StorageError) in
            try tables.modify(row, of: account, saving: [named("notes")], deleting: [])
        }
        for machine in scene.machines { try scene.use(machine) }
        try scene.rest(laptop)
        for other in [phone, tablet] { try scene.trust(other, by: laptop) }
        try scene.save(laptop, "before")
        for machine in scene.machines { try scene.rest(machine) }
        let before = try #require(try scene.latest(laptop))
        #expect(before.members == ["laptop", "phone", "tablet"])
        // A change that is sealed with the key of before, and sent while another key is made.
        try scene.save(phone, "meanwhile")

        try scene.hub.remove("tablet")
        for _ in 0..<2 {
            for machine in [laptop, phone] { try scene.rest(machine, counts: true) }
        }
        try scene.save(laptop, "after")
        for machine in [laptop, phone, laptop] { try scene.rest(machine, counts: true) }

        for machine in [laptop, phone] {
            let now = try #require(try scene.latest(machine), "\(String(describing: crash)): \(machine.name)")
            #expect(
                now.members == ["laptop", "phone"] && now.number == before.number + 1, "\(String(describing: crash))")
            #expect(now.key.name != before.key.name)
            let (yes, no) = try scene.readable(machine)
            #expect(
                no.isEmpty && yes == ["after", "before", "meanwhile"], "\(String(describing: crash)): \(machine.name)")
        }
        for machine in [laptop, phone] { #expect(try machine.refused().isEmpty) }
        // What the removed machine had, it has; the hub gives it nothing that it could open, whatever it sends.
        let after = try #require(try scene.latest(laptop)).key
        let known = try tablet.cache.read { (tables) throws(StorageError) in try tables.accountKeys() }
        #expect(known[before.key.name] != nil && known[after.name] == nil)
        return scene.hasCrashed
    }

    @Test func `without a crash the machines that remain have another key`() throws {
        #expect(try removeTablet(crash: nil) == false)
    }

    @Test(arguments: [SimulatedMachine.Fate.crashBefore, .crashAfter, .requestLost, .answerLost])
    func `whichever step of another key is cut off, nothing becomes unreadable`(fate: SimulatedMachine.Fate) throws {
        var step = 1
        while try removeTablet(crash: (step, fate)) { step += 1 }
        #expect(step > 10, "only \(step) steps were cut off")
    }

    @Test func `two machines that make another key at once end with the same one`() throws {
        var scene = try KeyScene(["laptop", "phone", "tablet"])
        let (laptop, phone, tablet) = (scene.machines[0], scene.machines[1], scene.machines[2])
        for machine in scene.machines { try scene.use(machine) }
        try scene.rest(laptop)
        for other in [phone, tablet] { try scene.trust(other, by: laptop) }
        for machine in scene.machines { try scene.rest(machine) }
        try scene.hub.remove("tablet")
        var past: [(HubRequest, String)] = []
        for machine in [laptop, phone] {
            try machine.markStale()
            while try machine.step(.delivered, past: &past) {}
        }
        for machine in [laptop, phone] {
            #expect(try scene.perform(machine).hasChanges)
            // Nobody can open what is sealed with a key that the hub does not have yet.
            #expect(try scene.latest(machine)?.number == 3, "\(machine.name)")
        }
        for machine in [laptop, phone, laptop] { try scene.rest(machine) }
        let (one, two) = (try #require(try scene.latest(laptop)), try #require(try scene.latest(phone)))
        #expect(one.number == 4 && two.number == 4 && one.key.name == two.key.name)
        #expect(one.members == ["laptop", "phone"])
    }
}
