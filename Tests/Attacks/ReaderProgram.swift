import Interfaces
import Location
import TestClients
import TestSupport
import Testing

/// A program of root's that is no app, and reads positions as an operator.
struct ReaderProgram {
    private let client: AppClient

    init(_ apps: TestApps, _ daemon: DaemonProcess) throws {
        client = try AppClient(try apps.program("reader"), to: daemon.socketPath, as: 0)
        try client.begin(LocationInterface.Method.monitor.rawValue, more: true)
    }

    /// The next position.
    func position() -> Position? {
        for _ in 0..<50 {
            do {
                guard let reply = try client.next() else { return nil }
                if let position = reply.parameters["update"].flatMap(LocationUpdate.init)?.position { return position }
            } catch {
                return nil
            }
        }
        return nil
    }

    func stop() {
        do { try client.kill() } catch { Issue.record(error) }
    }
}
