import Glibc
import TestHubs
import TestSupport
import TestTraits
import Testing

@Suite(.waits, .timeLimit(.minutes(15))) struct HubCrashTests {
    @Test func `no acknowledged save is lost by a hub that is killed under load, and none is done twice`() throws {
        let hub = try HubProcess()
        let phone = try hub.join("phone", "alice")
        try phone.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["notes"]}"#)
        let over = Flag()
        let workers = try (0..<6).map { number in
            try InBackground { try SavingClient([phone], "w\(number)").work(until: over) }
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
        let results = try workers.map { try $0.result() }
        #expect(results.contains { $0.repeated > 0 })
        try SavingClient.expectAll(results, at: phone, seen: seen, since: token)
    }
}
