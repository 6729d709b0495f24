import JSONText
import Platform
import SyncInterface
import TestHubs
import TestSupport
import TestTraits
import Testing
import Varlink
import Waymark

@testable import Sync

/// What a new key of the account's encrypted fields does to files, with a real hub and real machines.
@Suite(.waits, .timeLimit(.minutes(15))) struct ResetFileTests {
    private static let zone = RecordZone.ID(zoneName: "notes")
    private static let file = TestFile(count: 1_500_000)
    private let scene: SyncMachines
    private var laptop: SyncProcess { scene.machines[0] }
    private var phone: SyncProcess { scene.machines[1] }
    private var tablet: SyncProcess { scene.machines[2] }

    /// A laptop has saved notes with an encrypted field and a file, and is off; the phone and the tablet have the
    /// records.
    init() async throws {
        scene = try SyncMachines("laptop", "phone", "tablet")
        try scene.machines[0].makeZone()
        for index in 0..<3 {
            try scene.machines[0].saveSecret("n\(index)", "a secret")
            var record = try await scene.database(0).record(for: Self.id(index))
            record["photo"] = try Record.Asset(bytes: Self.bytes(index))
            try await scene.database(0).save(record)
        }
        try scene.machines[0].synchronize()
        try scene.machines[0].stop()
        for machine in scene.machines[1...] {
            _ = try machine.call(SyncInterface.ListZones(container: SyncProcess.container))
            try machine.waitForNotes(["n0": "plain", "n1": "plain", "n2": "plain"])
            _ = try machine.secretJSON("n1")
            _ = try machine.code()
        }
        try scene.machines[2].stop()
    }

    private static func id(_ index: Int) -> Record.ID { Record.ID(recordName: "n\(index)", zoneID: zone) }

    private static func bytes(_ index: Int) -> [UInt8] { TestFile(count: 1_300_000, seed: UInt8(index + 1)).bytes }

    private func photo(_ machine: Int, _ index: Int) async throws -> [UInt8] {
        let database = scene.database(machine)
        let record = try await database.record(for: Self.id(index))
        return try await database.bytes(of: try #require(record["photo", as: Record.Asset.self]), in: Self.id(index))
    }

    private func waymark(_ arguments: String...) throws -> CompletedProcess {
        try CompletedProcess.run(
            Products.program("waymark"), ["sync"] + arguments + ["--sync-socket", phone.socket],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"], seconds: 120)
    }

    @Test func `files that only the hub has are downloaded before a reset, and sent again`() async throws {
        // One of them is here already.
        #expect(try await photo(1, 1) == Self.bytes(1))
        let plan = try phone.call(SyncInterface.ExamineReset())
        #expect(plan.zones == 1 && plan.assets == 2 && plan.assetBytes == 2_600_000)
        let output = try waymark("reset-encryption", "--yes")
        #expect(output.status.isSuccess && output.output.contains("reset: 1"), "\(output)")
        #expect(!output.output.contains("lost"), "\(output.output)")
        try phone.synchronize()
        #expect(try phone.refused().isEmpty)
        #expect(try phone.call(SyncInterface.ExamineReset()).zones == 0)
        for index in 0..<3 { #expect(try await photo(1, index) == Self.bytes(index)) }

        try tablet.start()
        try tablet.synchronize()
        for index in 0..<3 { #expect(try await photo(2, index) == Self.bytes(index)) }
    }

    @Test func `a copy that is smaller than the files has all of them for a reset`() async throws {
        try phone.stop()
        let small = try SyncProcess(more: ["--asset-cache", "1"], copy: phone.folder.file("copy"))
        #expect(try small.call(SyncInterface.ResetKeys()).lostAssets == 0)
        try small.synchronize()
        #expect(try small.refused().isEmpty)
    }

    @Test func `nothing is reset without the hub, unless files may be lost, which machines that have them send again`()
        async throws
    {
        try scene.hub.stop()
        let output = try waymark("reset-encryption", "--yes")
        #expect(output.status == .exited(1) && !output.error.isEmpty, "\(output)")
        let plan = try phone.call(SyncInterface.ExamineReset())
        #expect(plan.zones == 1 && plan.assets == 3)
        let forced = try waymark("reset-encryption", "--yes", "--lose-files")
        #expect(forced.output.contains("3, with 3900000 bytes"), "\(forced)")
        try scene.hub.start()
        try phone.synchronize()
        // The records are at the hub without their files.
        #expect(try phone.refused().isEmpty && phone.notes().count == 3)
        #expect(try await scene.database(1).record(for: Self.id(0))["photo"] == nil)
        // A machine with the records and without the files cannot send them: the changes are set aside.
        try tablet.start()
        try tablet.synchronize()
        let outcomes = try tablet.refused().map { $0.outcome["error"]?.stringValue }
        #expect(outcomes == Array(repeating: "assetNotFound", count: 3))
        #expect(try tablet.notes().count == 3)
        let asset = try Record.Asset(bytes: Self.bytes(0))
        do {
            _ = try tablet.call(
                SyncInterface.ReadAsset(
                    container: SyncProcess.container, zone: "notes", name: "n0", digest: HexText.text(asset.digest),
                    offset: 0))
            Issue.record("the bytes are there")
        } catch VarlinkError.reply(let name, let details) {
            #expect(name.hasSuffix("AssetNotFound") && "\(details)".contains("reset of the account's encryption"))
        }
        // One that has the files sends them again, and the other one then what was set aside.
        try laptop.start()
        try laptop.synchronize()
        try tablet.synchronize()
        #expect(eventually { attempt { try tablet.refused().isEmpty } ?? false })
        try phone.synchronize()
        for index in 0..<3 { #expect(try await photo(1, index) == Self.bytes(index)) }
    }

    /// The command on a terminal, and the question that it asks.
    private func asked(_ arguments: [String]) throws -> (TypedTerminal, question: String) {
        let terminal = try TypedTerminal(
            Products.program("waymark"), ["sync", "reset-encryption"] + arguments + ["--sync-socket", phone.socket],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
        #expect(terminal.shows("[y/N] "))
        return (terminal, terminal.text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    }

    @Test(arguments: [false, true])
    func `a person on a terminal is asked first, and only a yes resets`(losesFiles: Bool) throws {
        let arguments = losesFiles ? ["--lose-files"] : []
        let files = "Files of these zones (3, with 3900000 bytes)"
        let expected =
            losesFiles
            ? "\(files) are not on this machine. They are removed at the hub as well, and lost unless another machine has"
                + " them."
            : "\(files) are not on this machine, and are downloaded first."
        let values =
            "Remove the values of encrypted fields that this machine cannot read, on all machines and for good?"
        // Ctrl-D ends the input.
        for answer in ["n\n", "\n", "yes please\n", "\u{4}"] {
            let (terminal, question) = try asked(arguments)
            #expect(question == "\(expected) \(values) [y/N]")
            terminal.type(answer)
            #expect(try terminal.end() == .exited(1))
            #expect(terminal.text.contains("Nothing was changed."), "\(terminal.text)")
        }
        // Nobody can answer.
        for input in ["", "y\n"] {
            let run = try CompletedProcess.run(
                Products.program("waymark"),
                ["sync", "reset-encryption"] + arguments + ["--sync-socket", phone.socket],
                environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"], input: input)
            #expect(run.status == .exited(2) && run.error.contains("add --yes"), "\(run)")
        }
        let plan = try phone.call(SyncInterface.ExamineReset())
        #expect(plan.zones == 1 && plan.assets == 3)
        #expect(try phone.call(SyncInterface.GetKeys()).state == .untrusted)

        let (terminal, _) = try asked(arguments)
        terminal.type(losesFiles ? "Y\n" : "yes\n")
        // Downloading the files may take longer than `end` waits.
        #expect(terminal.shows("reset: 1"), "\(terminal.text)")
        #expect(try terminal.end() == .exited(0))
        #expect(terminal.text.contains("are lost, unless") == losesFiles, "\(terminal.text)")
        try phone.synchronize()
        #expect(try phone.call(SyncInterface.GetKeys()).state == .trusted)
    }
}
