import Interfaces
import Platform
import TestSupport
import Testing
import Varlink

@testable import Waker

/// Reports to a daemon that cannot be reached at first.
@Suite struct WakerReportsTests {
    init() { LoopThread.start() }

    /// What was reported, and what of it the daemon has handled.
    @DaemonActor private final class Book {
        var received: [String] = []
        var handled = 0
    }

    @Test @DaemonActor func `reports are sent by themselves, in order, when the daemon can be reached`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("daemon.sock")
        let reports = try WakerReports(socketPath: path)
        let book = Book()
        reports.report(WakerInterface.ReportManager()) { book.handled += 1 }
        reports.report(WakerInterface.ReportOrder(app: "gate", number: 1, outcome: .notStarted)) { book.handled += 1 }
        let service = try Service(
            info: ServiceInfo(vendor: "Example", product: "Test", version: "1", url: "https://example.org"))
        try service.register(WaymarkInterface.waker.text, requiringMore: WakerInterface.requiringMore) { call in
            book.received.append(call.request.method)
            call.reply(EncodedReply(EmptyReply()))
        }
        let server = try Server(service, tooManyConnections: "org.example.test.TooManyConnections")
        try server.listen(on: try UnixSocket.listen(path: path, mode: 0o600), name: "varlink")
        #expect(try await eventually { () async throws -> Bool in book.handled == 2 })
        #expect(book.received == [WakerInterface.ReportManager.name, WakerInterface.ReportOrder.name])
        server.stop()
    }
}
