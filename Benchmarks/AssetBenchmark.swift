import Cryptography
import Glibc
import JSONText
import Platform
import SyncInterface
import TestSupport
import Varlink

/// Files of records from an app on one machine to an app on another one: real hub, two real `waymark-sync`, on loopback without TLS, files
/// on the disk. The peers do what is the least in between: copies that are synchronized for each mebibyte, digests, and nginx that sends
/// the same files to curl.
enum AssetBenchmark {
    /// Files of one size.
    private struct Load {
        let name: String
        let files: [[UInt8]]

        init(_ count: Int, mebibytes: Int) {
            name = "\(count) \(count == 1 ? "file" : "files") of \(mebibytes) MiB"
            files = (0..<count).map { _ in RandomBytes.make(mebibytes << 20) }
        }

        var mebibytes: Double { Double(files.reduce(0) { $0 + $1.count }) / 1_048_576 }
    }

    /// The seconds of each step.
    private struct Round {
        var added = 0.0
        var sent = 0.0
        var fetched = 0.0
        var readAgain = 0.0
        var copied = 0.0
        var received = 0.0
        var hashed = 0.0
        var processor = (senders: 0.0, receivers: 0.0, hub: 0.0)
    }

    static func run(rounds: Int) throws {
        for load in [Load(1, mebibytes: 250), Load(250, mebibytes: 1)] {
            print("assets: \(load.name), seconds for all of them")
            let hub = try RunningHub()
            let server = try FileServer(load.files.enumerated().map { ("\($0.offset)", $0.element) })
            var all: [Round] = []
            for number in 0..<rounds {
                let round = try measure(load, hub, server, number)
                print(text(of: round))
                all.append(round)
            }
            report("the app adds them", all, load) { ($0.added, $0.copied / 2) }
            report("added and sent to the hub", all, load) { ($0.added + $0.sent, $0.copied) }
            report("an app on another machine reads them", all, load) { ($0.fetched, $0.received + $0.hashed) }
            report("it reads them again, from the copy", all, load) { ($0.readAgain, $0.hashed) }
        }
    }

    private static func text(of round: Round) -> String {
        func seconds(_ value: Double) -> String { Text.fixed(value, 2) }
        return "  added \(seconds(round.added)), sent \(seconds(round.sent)), fetched \(seconds(round.fetched)), again"
            + " \(seconds(round.readAgain)) (processor: sender \(seconds(round.processor.senders)), receiver"
            + " \(seconds(round.processor.receivers)), hub \(seconds(round.processor.hub))); peers: two copies with"
            + " digests \(seconds(round.copied)), nginx to curl \(seconds(round.received)), a digest"
            + " \(seconds(round.hashed))"
    }

    private static func report(
        _ what: String, _ rounds: [Round], _ load: Load, _ times: (Round) -> (own: Double, peer: Double)
    ) {
        let ratios = rounds.map { times($0).own / times($0).peer }.sorted()
        let own = rounds.map { times($0).own }.sorted()[rounds.count / 2]
        print(
            "  \(what): \(Text.fixed(load.mebibytes / own, 0)) MiB/s, \(Text.fixed(ratios[ratios.count / 2], 2)) of the"
                + " peer's time, medians of \(rounds.count) rounds (\(Text.fixed(ratios[0], 2)) to"
                + " \(Text.fixed(ratios[ratios.count - 1], 2)))")
    }

    private static func measure(
        _ load: Load, _ hub: RunningHub, _ server: FileServer, _ number: Int
    ) throws -> Round {
        var round = Round()
        let laptop = try RunningMachine("laptop\(number)", of: hub)
        let phone = try RunningMachine("phone\(number)", of: hub)
        // In a zone of its own, because what a zone of the hub has is not uploaded to it again.
        let zone = "round\(number)"
        _ = try laptop.call(SyncInterface.ModifyZones(container: RunningMachine.container, save: [zone]))
        for machine in [laptop, phone] {
            _ = try machine.call(SyncInterface.ListZones(container: RunningMachine.container))
            _ = try machine.call(SyncInterface.Synchronize())
        }
        let digests = load.files.map { digest(of: $0) }
        let before = (try laptop.figures, try phone.figures, try hub.figures)
        let names = load.files.indices.map { "r\(number)-\($0)" }
        round.added = try seconds {
            for (index, file) in load.files.enumerated() {
                try add(file, digests[index], to: laptop, zone)
                try save(names[index], digests[index], file.count, in: laptop, zone)
            }
        }
        round.sent = try seconds { _ = try laptop.call(SyncInterface.Synchronize()) }
        _ = try phone.call(SyncInterface.Synchronize())
        func readAll() throws {
            for (index, file) in load.files.enumerated() {
                guard try read(names[index], digests[index], from: phone, zone) == file.count else {
                    throw HubClient.Failure(description: "a file has not arrived")
                }
            }
        }
        round.fetched = try seconds { try readAll() }
        round.readAgain = try seconds { try readAll() }
        let after = (try laptop.figures, try phone.figures, try hub.figures)
        func processor(_ before: ProcessFigures, _ after: ProcessFigures) -> Double {
            Double(after.processorMilliseconds - before.processorMilliseconds) / 1_000
        }
        round.processor = (processor(before.0, after.0), processor(before.1, after.1), processor(before.2, after.2))
        let folder = try TemporaryDirectory()
        round.copied = try seconds {
            for copy in ["machine", "hub"] {
                for (index, file) in load.files.enumerated() {
                    try store(file, at: folder.file("\(copy)-\(index)"))
                    _ = digest(of: file)
                }
            }
        }
        round.received = try server.send(toFiles: true)
        round.hashed = try seconds { for file in load.files { _ = digest(of: file) } }
        try laptop.process.terminate()
        try phone.process.terminate()
        return round
    }

    private static func seconds(_ body: () throws -> Void) throws -> Double {
        let start = SystemClock().monotonicNanoseconds
        try body()
        return Double(SystemClock().monotonicNanoseconds - start) / 1e9
    }

    private static func digest(of bytes: [UInt8]) -> String {
        var hash = ContentHash()
        hash.update(bytes)
        return HexText.text(hash.digest)
    }

    // An app

    private static let partBytes = 256 << 10

    private static func add(_ file: [UInt8], _ digest: String, to machine: RunningMachine, _ zone: String) throws {
        var stored = 0
        while true {
            let reply = try machine.call(
                SyncInterface.AddAsset(
                    container: RunningMachine.container, zone: zone, digest: digest, size: Int64(file.count),
                    offset: Int64(stored),
                    bytes: Base64.text(Array(file[stored..<min(file.count, stored + partBytes)]))))
            guard !reply.complete else { return }
            stored = Int(reply.stored)
        }
    }

    private static func save(
        _ name: String, _ digest: String, _ size: Int, in machine: RunningMachine, _ zone: String
    ) throws {
        let fields: JSON = ["file": ["asset": ["digest": .string(digest), "size": .integer(Int64(size))]]]
        let record: JSON = ["name": .string(name), "type": "File", "fields": fields]
        _ = try machine.call(
            SyncInterface.ModifyRecords(
                container: RunningMachine.container, zone: zone, request: ["save": [["record": record]]]))
    }

    /// Reads all bytes of a file, and returns how many there are.
    private static func read(
        _ name: String, _ digest: String, from machine: RunningMachine, _ zone: String
    ) throws -> Int {
        var count = 0
        while true {
            let reply = try machine.call(
                SyncInterface.ReadAsset(
                    container: RunningMachine.container, zone: zone, name: name, digest: digest,
                    offset: Int64(count)))
            count += Base64.bytes(Array(reply.bytes.utf8))?.count ?? 0
            guard count < Int(reply.size) else { return count }
        }
    }

    // A peer

    /// Writes a file, and synchronizes each mebibyte, as the hub does.
    private static func store(_ bytes: [UInt8], at path: String) throws {
        let file = try OwnedDescriptor("make", subject: path) { open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
        for start in stride(from: 0, to: bytes.count, by: 1 << 20) {
            var written = start
            let end = min(bytes.count, start + 1 << 20)
            while written < end {
                written += try retrying("write", subject: path) {
                    bytes[written..<end].withUnsafeBytes { write(file.number, $0.baseAddress, $0.count) }
                }
            }
            try retrying("synchronize", subject: path) { fdatasync(file.number) }
        }
    }
}
