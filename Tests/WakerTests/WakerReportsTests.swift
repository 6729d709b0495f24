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

    @Test @DaemonActor func `a report that is being sent is not dropped for newer ones, but repeated`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("daemon.sock")
        let reports = try WakerReports(socketPath: path, most: 3)
        let book = Book()
        let service = try Service(
            info: ServiceInfo(vendor: "Example", product: "Test", version: "1", url: "https://example.org"))
        try service.register(WaymarkInterface.waker.text, requiringMore: WakerInterface.requiringMore) { call in
            call.perform(WakerInterface.ReportOrder.self) { (call) throws(WakerInterface.Failure) in
                book.received.append("\(call.parameters.number)")
                guard book.received.count == 1 else { return call.reply(EmptyReply()) }
                // While the first report is being sent, there are more than may wait. Then its connection is lost.
                for number in Int64(2)...4 { report(number, reports, book) }
                call.connection.close(.systemError)
            }
        }
        let server = try Server(service, tooManyConnections: "org.example.test.TooManyConnections")
        try server.listen(on: try UnixSocket.listen(path: path, mode: 0o600), name: "varlink")
        report(1, reports, book)
        #expect(try await eventually { () async throws -> Bool in book.handled == 3 })
        #expect(book.received == ["1", "1", "3", "4"])
        server.stop()
    }

    @DaemonActor private func report(_ number: Int64, _ reports: WakerReports, _ book: Book) {
        reports.report(WakerInterface.ReportOrder(app: "gate", number: number, outcome: .started)) { book.handled += 1 }
    }
}
