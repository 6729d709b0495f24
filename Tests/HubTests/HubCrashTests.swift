import Glibc
import JSONText
import Synchronization
import TestHubs
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct HubCrashTests {
    /// Saves records one after the other, each until it is acknowledged, and returns how often a request was sent again.
    private static func work(_ device: HubDevice, _ name: String, until isOver: @escaping @Sendable () -> Bool) throws
        -> (saved: Int, repeated: Int)
    {
        var saved = 0
        var repeated = 0
        while !isOver() || saved < 20 {
            let note = #"{"type":"Note","fields":{"text":{"string":"\#(saved)"}}}"#
            var answer: HubResponse?
            while answer == nil {
                answer = attempt {
                    try device.send("PUT", "\(device.notes)/records/\(name)-\(saved)", note, key: "\(name)-\(saved)")
                }
                if answer == nil || answer?.status == 503 || answer?.status == 429 {
                    answer = nil
                    repeated += 1
                    poll(nil, 0, 20)
                }
            }
            guard answer?.status == 201 else {
                throw HubProcess.Failure(description: "\(answer?.status ?? 0) \(answer?.body ?? "")")
            }
            saved += 1
        }
        return (saved, repeated)
    }

    @Test func `no acknowledged save is lost by a hub that is killed under load, and none is done twice`() throws {
        let hub = try HubProcess()
        let phone = try hub.join("phone", "alice")
        try phone.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["notes"]}"#)
        let over = SharedFlag()
        let workers = try (0..<6).map { number in
            try InBackground { try Self.work(phone, "w\(number)", until: { over.isSet }) }
        }
        var token: String?
        var seen: Set<String> = []
        for _ in 0..<4 {
            _ = poll(nil, 0, 400)
            try hub.crash()
            // A reader that continues with its token misses nothing.
            let page = try phone.changes(since: token)
            token = page.token
            seen.formUnion(page.changed.keys)
        }
        over.set()
        var expected: Set<String> = []
        var repeated = 0
        for (number, worker) in workers.enumerated() {
            let result = try worker.result()
            repeated += result.repeated
            for index in 0..<result.saved { expected.insert("w\(number)-\(index)") }
        }
        seen.formUnion(try phone.changes(since: token).changed.keys)
        let all = try phone.changes()
        #expect(Set(all.changed.keys) == expected && seen == expected)
        #expect(all.changed.allSatisfy { $0.key.hasSuffix("-\($0.value)") })
        #expect(repeated > 0)
        // Each save has incremented the counter once.
        let tags = try allTags(phone)
        #expect(Set(tags).count == expected.count && tags.max() == expected.count)
    }

    /// The counters in the change tags of all records.
    private func allTags(_ device: HubDevice) throws -> [Int] {
        var tags: [Int] = []
        var token: String?
        while true {
            let page = try device.json("GET", "\(device.notes)/changes" + (token.map { "?token=\($0)" } ?? ""))
            for record in page["changed"]?.arrayValue ?? [] {
                let parts = record["changeTag"]?.stringValue?.split(separator: "-") ?? []
                tags.append(parts.last.flatMap { Int($0, radix: 16) } ?? -1)
            }
            token = page["token"]?.stringValue
            guard page["moreComing"]?.boolValue == true else { return tags }
        }
    }
}

/// Whether something has happened, for several threads.
private final class SharedFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
