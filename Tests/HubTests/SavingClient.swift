import Glibc
import JSONText
import TestHubs
import TestSupport
import Testing

/// A device that saves records one after the other, each until it is acknowledged.
struct SavingClient: Sendable {
    /// What it has done.
    struct Result: Sendable {
        var name: String
        var saved = 0
        /// How often a request was sent again.
        var repeated = 0
    }

    /// The device at each hub: after a failure it uses the next one.
    private let devices: [HubDevice]
    private let name: String

    init(_ devices: [HubDevice], _ name: String) {
        self.devices = devices
        self.name = name
    }

    /// Saves until the flag is set.
    func work(until over: Flag) throws -> Result {
        var result = Result(name: name)
        while !over.isSet || result.saved < 20 {
            let record = "\(name)-\(result.saved)"
            let note = #"{"type":"Note","fields":{"text":{"string":"\#(result.saved)"}}}"#
            var answer: HubResponse?
            while answer == nil {
                let device = devices[result.repeated % devices.count]
                answer = attempt { try device.send("PUT", "\(device.notes)/records/\(record)", note, key: record) }
                if answer == nil || answer?.status == 503 || answer?.status == 429 {
                    answer = nil
                    result.repeated += 1
                    _ = poll(nil, 0, 20)
                }
            }
            guard answer?.status == 201 else {
                throw HubProcess.Failure(description: "\(answer?.status ?? 0) \(answer?.body ?? "")")
            }
            result.saved += 1
        }
        return result
    }

    /// Expects that everything that was saved is there, once, and that a reader has seen it.
    /// - Parameters:
    ///   - seen: What the reader has seen.
    ///   - token: Where it continues.
    static func expectAll(_ results: [Result], at device: HubDevice, seen: Set<String>, since token: String?) throws {
        var expected: Set<String> = []
        for result in results {
            for index in 0..<result.saved { expected.insert("\(result.name)-\(index)") }
        }
        let all = try device.changes()
        #expect(Set(all.changed.keys) == expected)
        #expect(try seen.union(device.changes(since: token).changed.keys) == expected)
        #expect(all.changed.allSatisfy { $0.key.hasSuffix("-\($0.value)") })
        // Each save has incremented the counter once.
        let tags = try allTags(device)
        #expect(Set(tags).count == expected.count && tags.max() == expected.count)
    }

    /// The counters in the change tags of all records.
    private static func allTags(_ device: HubDevice) throws -> [Int] {
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
