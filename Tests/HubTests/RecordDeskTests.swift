import Cryptography
import HTTPServing
import JSONText
import Location
import Platform
import Records
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Hub

/// How a desk performs tasks with an engine: in which order, and in which commits.
@Suite(.timeLimit(.minutes(15))) struct RecordDeskTests {
    private static let zones = ["v1", "production", "org.example.notes", "private", "zones"]
    private static let records = ["v1", "production", "org.example.notes", "zones", "alice", "notes", "records"]
    private static let laptop = AccountDevice(named("alice"), named("laptop"))

    /// A desk whose answers are noted.
    private final class Scene: Sendable {
        let script: EngineScript
        let waiting = WaitingTasks()
        private let desk: any HubDesk
        private let thread: StorageThread
        private let clock = ManualClock()
        private let noted = Mutex<[String]>([])
        /// The body of the last answer to a request.
        private let body = Mutex<[UInt8]>([])

        init(readsAhead: Bool = false) throws {
            let script = EngineScript(readsAhead: readsAhead)
            let key = try SymmetricKey(copying: [UInt8](repeating: 7, count: SymmetricKey.size))
            let signer = HubSigner(key: try #require(key))
            self.script = script
            thread = try StorageThread(capacity: 8)
            desk = RecordDesk(
                try ScriptedEngine(script), rules: SyncRules(), on: thread,
                random: { [UInt8](repeating: 9, count: $0) },
                signer: { (_) throws(EngineFailure) in
                    if script.isSignerFailing() { throw ScriptedEngine.failure }
                    return signer
                })
        }

        deinit { thread.stop() }

        /// What became of each task so far, in the order in which the desk has answered.
        var answers: [String] { noted.withLock { $0 } }
        /// The steps of the engine so far, without what was known before them.
        var steps: [String] {
            script.steps.map { step in
                switch step {
                case .gathering: "gathering"
                case .committed: "committed"
                case .next(let ahead): ahead.isEmpty ? "nothing next" : "next"
                case .write: "write"
                case .read: "read"
                case .finished(let count): "finished \(count)"
                }
            }
        }

        func add(_ tasks: HubTask...) {
            for task in tasks { _ = waiting.add(WaitingTasks.Item(task: task) { _ in }) }
        }

        /// Performs everything that waits.
        func perform() async {
            await desk.perform(waiting, clock) { items, results in
                script.add(.finished(results.count))
                if case .answer(let answer)? = results.last { body.withLock { $0 = answer.reply.body } }
                noted.withLock { noted in
                    noted += zip(items, results).map { "\(name(of: $0.task)): \(text(of: $1))" }
                }
            }
        }

        /// The token of a laptop that joins; what was noted until then is about that.
        func join() async throws -> String {
            let code = InvitationCode([UInt8](repeating: 1, count: InvitationCode.size))
            let request = [UInt8](#"{"code":"\#(code.text)"}"#.utf8)
            add(
                .invite(RecordDeskTests.laptop, code: code.bytes, seconds: 60),
                RecordDeskTests.task(ServedRequest(method: "POST", path: ["v1", "join"], body: request)))
            await perform()
            noted.withLock { $0 = [] }
            return try #require(try JSON.parse(body.withLock { $0 })["token"]?.stringValue)
        }
    }

    private static func invite(_ device: String, of account: String = "alice") -> HubTask {
        .invite(AccountDevice(named(account), named(device)), code: [UInt8](device.utf8), seconds: 60)
    }

    private static let list = HubTask.list(after: nil, limit: 100)

    fileprivate static func task(_ request: ServedRequest, from device: AccountDevice? = nil) -> HubTask {
        .request(request, Resource(path: request.path), from: device)
    }

    private static func request(_ path: [String], _ key: String, _ body: String, _ token: String) -> HubTask {
        let headers = ["authorization": "Bearer \(token)", "idempotency-key": key]
        let request = ServedRequest(method: "POST", path: path, headers: headers, body: [UInt8](body.utf8))
        return task(request, from: laptop)
    }

    private static func save(_ record: String, _ token: String) -> HubTask {
        let body = #"{"save":[{"record":{"name":"\#(record)","type":"Note","fields":{}}}]}"#
        return request(records, record, body, token)
    }

    @Test(arguments: [false, true])
    func `answers are in the order of tasks, and one that reads sees what was written before it`(
        readsAhead: Bool
    ) async throws {
        let scene = try Scene(readsAhead: readsAhead)
        scene.add(
            Self.invite("a"), Self.list, Self.invite("b"), Self.invite("c"), Self.list, Self.list, Self.invite("d"))
        await scene.perform()
        #expect(
            scene.answers == [
                "invite a: a", "list: a", "invite b: b", "invite c: c", "list: a b c", "list: a b c", "invite d: d",
            ])
    }

    @Test func `tasks that write are committed together, and one alone by itself`() async throws {
        let scene = try Scene()
        scene.add(Self.invite("a"), Self.list, Self.invite("b"), Self.invite("c"), Self.invite("d"), Self.list)
        await scene.perform()
        // A list is one transaction for devices, and one for invitations.
        #expect(
            scene.steps == [
                "write", "read", "read", "gathering", "write", "write", "write", "committed", "read", "read",
                "finished 6",
            ])
    }

    @Test func `only the task that causes an error fails, and the others of its group are stored`() async throws {
        let scene = try Scene()
        scene.add(Self.invite("a"), Self.invite("b", of: "large"), Self.invite("c"), Self.list)
        await scene.perform()
        #expect(
            scene.answers == ["invite a: a", "invite b: failed", "invite c: c", "list: a c"])
        #expect(scene.steps.filter { $0 == "committed" }.isEmpty)
    }

    @Test func `a request that was stored although its commit failed is answered as a repeated one`() async throws {
        let scene = try Scene()
        let token = try await scene.join()
        scene.add(Self.request(Self.zones, "zone", #"{"save":["notes"]}"#, token))
        await scene.perform()
        scene.script.failCommits(1)
        scene.add(Self.save("n1", token), Self.save("n2", token))
        await scene.perform()
        // The counter of the zone would be greater if a save was done twice.
        #expect(
            scene.answers == ["POST /v1/production/org.example.notes/private/zones: 200"]
                + ["1-1", "1-2"].map { "POST /v1/production/org.example.notes/zones/alice/notes/records: 200 \($0)" })
    }

    @Test func `a failure of a single task that is gathered is its answer, and the task is not performed again`()
        async throws
    {
        let scene = try Scene(readsAhead: true)
        scene.script.failCommits(1)
        scene.add(Self.invite("a"))
        await scene.perform()
        #expect(scene.answers == ["invite a: failed"])
        #expect(scene.steps == ["gathering", "write", "nothing next", "finished 1"])
    }

    @Test func `without a signer all tasks of a group fail, and the next group asks for it again`() async throws {
        let scene = try Scene()
        scene.script.failSigners(2)
        scene.add(Self.invite("a"), Self.list, Self.task(ServedRequest(method: "GET", path: ["v1"])))
        await scene.perform()
        #expect(scene.answers == ["invite a: failed", "list: failed", "GET /v1: 503"])
        scene.add(Self.invite("b"))
        await scene.perform()
        scene.add(Self.invite("c"), Self.list)
        await scene.perform()
        // A signer that is there stays.
        scene.script.failSigners(1)
        scene.add(Self.list)
        await scene.perform()
        #expect(scene.answers.dropFirst(3) == ["invite b: failed", "invite c: c", "list: c", "list: c"])
    }

    @Test func `the next group is taken while the one before is committed, and performed after it`() async throws {
        let scene = try Scene(readsAhead: true)
        let token = try await scene.join()
        scene.add(Self.request(Self.zones, "zone", #"{"save":["notes"]}"#, token))
        await scene.perform()
        let before = scene.script.steps.count
        scene.script.whileCommitting { [unowned scene] in scene.add(Self.save("n2", token), Self.save("n3", token)) }
        scene.add(Self.save("n1", token))
        await scene.perform()
        #expect(
            scene.steps.dropFirst(before).map { $0 } == [
                "gathering", "write", "next", "committed", "finished 1",
                "gathering", "write", "write", "nothing next", "committed", "finished 2",
            ])
        #expect(scene.answers.suffix(3).map { $0.suffix(3) } == ["1-1", "1-2", "1-3"])
        // What was announced is what the group is performed with.
        let steps = scene.script.steps.dropFirst(before)
        let announced = steps.compactMap { if case .next(let ahead) = $0 { ahead } else { nil } }.first
        let used = steps.compactMap { if case .gathering(let ahead) = $0 { ahead } else { nil } }
        #expect(used.count == 2 && used.last == announced)
        let zone = try #require(announced?.records.first)
        #expect(announced?.records.count == 1 && Set(zone.value.map(\.text)) == ["n2", "n3"])
    }

    @Test func `a group that was taken early is performed also if the commit before it fails`() async throws {
        let scene = try Scene(readsAhead: true)
        scene.script.failCommits(1)
        scene.script.whileCommitting { [unowned scene] in scene.add(Self.invite("c"), Self.list) }
        scene.add(Self.invite("a"), Self.invite("b"))
        await scene.perform()
        #expect(scene.answers == ["invite a: a", "invite b: b", "invite c: c", "list: a b c"])
    }

    @Test func `nothing is taken early by tasks after which others of the group follow`() async throws {
        let scene = try Scene(readsAhead: true)
        scene.script.whileCommitting { [unowned scene] in scene.add(Self.invite("c")) }
        scene.add(Self.invite("a"), Self.list, Self.invite("b"), Self.list)
        await scene.perform()
        #expect(scene.answers.last == "invite c: c")
        #expect(scene.script.steps.filter { $0 == .finished(4) }.count == 1)
        #expect(
            scene.steps == [
                "gathering", "write", "nothing next", "committed", "read", "read",
                "gathering", "write", "nothing next", "committed", "read", "read", "finished 4",
                "gathering", "write", "nothing next", "committed", "finished 1",
            ])
        #expect(scene.waiting.taken == (2, 5))
    }
}

/// What a test says of a task.
private func name(of task: HubTask) -> String {
    switch task {
    case .invite(let device, _, _): "invite \(device.device.text)"
    case .list: "list"
    case .request(let request, _, _): "\(request.method) \(request.pathText)"
    default: "another task"
    }
}

/// What a test says of a result.
private func text(of result: HubResult) -> String {
    switch result {
    case .invitation(.success(let row)): return row.id.device.text
    case .list(_, let invitations): return invitations.map(\.id.device.text).joined(separator: " ")
    case .failed: return "failed"
    case .answer(let answer):
        let outcome = (try? JSON.parse(answer.reply.body))?["outcomes"]?[0]
        let tag = outcome?["saved"]?["changeTag"]?.stringValue
        return ["\(answer.reply.status)", tag].compactMap { $0 }.joined(separator: " ")
    default: return "another result"
    }
}
