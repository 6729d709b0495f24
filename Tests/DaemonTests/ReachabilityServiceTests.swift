import Accounts
import Configuration
import Interfaces
import Platform
import TestSupport
import Testing
import Varlink

@testable import Daemon

@Suite struct ReachabilityServiceTests {
    private let directory: TemporaryDirectory

    init() throws {
        LoopThread.start()
        directory = try TemporaryDirectory()
    }

    @DaemonActor private func serve(_ watch: NetworkWatch) throws -> Server {
        let reachability = ReachabilityService(
            watch: watch, operators: OperatorPolicy(groupName: "waymark"),
            accounts: UserAccounts(), changes: Changes(), clock: SystemClock())
        let service = try Service(
            info: ServiceInfo(vendor: "Waymark", product: "A test", version: "1", url: "https://example.org"))
        try service.register(
            WaymarkInterface.reachability.text, requiringMore: ReachabilityInterface.requiringMore
        ) { reachability.handle($0) }
        let server = try Server(service, tooManyConnections: ErrorName.tooManyConnections.rawValue)
        try server.listen(on: UnixSocket.listen(path: directory.file("socket"), mode: 0o600))
        return server
    }

    @Test @DaemonActor func `a daemon that cannot watch says so`() async throws {
        let server = try serve(try NetworkWatch(Settings().reachability, changes: Changes(), clock: SystemClock()))
        let answered = await answer()
        #expect(answered == .reply(name: ErrorName.reachabilityUnavailable.rawValue))
        server.stop()
    }

    @Test @DaemonActor func `a daemon that ends leaves who waits to come again`() async throws {
        let watch = try NetworkWatch(Settings().reachability, changes: Changes(), clock: SystemClock())
        watch.stop()
        let server = try serve(watch)
        let answered = Task { await answer() }
        let hasCalled = try await eventually { () async -> Bool in server.statistics.calls == 1 }
        #expect(hasCalled)
        server.stop()
        let end = await answered.value
        #expect(end == .closed)
    }

    /// The end of a stream.
    private enum End: Equatable {
        case none, closed
        case reply(name: String)
        case other(String)
    }

    /// A client's stream of the path, on a thread of its own because it blocks: tests running at the same time need the
    /// threads of the pool, and the test does not wait for it.
    @DaemonActor private func answer() async -> End {
        let path = directory.file("socket")
        return await withCheckedContinuation { continuation in
            do throws(SystemError) {
                try DetachedThread.start(name: "follower") { continuation.resume(returning: Self.follow(path)) }
            } catch {
                continuation.resume(returning: .other("\(error)"))
            }
        }
    }

    private static func follow(_ path: String) -> End {
        do throws(VarlinkError) {
            // The daemon's loop is shared with all tests that run beside this one.
            let client = try Client(path: path, timeout: .seconds(600))
            let stream = try client.stream(ReachabilityInterface.Method.monitorPath.rawValue, timeout: .seconds(600))
            _ = try stream.next(timeout: .seconds(600))
            return .none
        } catch .closed {
            return .closed
        } catch .reply(let name, _) {
            return .reply(name: name)
        } catch {
            return .other("\(error)")
        }
    }
}
