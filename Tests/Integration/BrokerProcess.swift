import CTest
import Glibc
import Platform
import TestSupport
import Varlink

/// A mosquitto of one test's own, with somebody who has subscribed to everything.
final class BrokerProcess {
    /// Whether this machine has one.
    static let isPossible = [broker, subscriber].allSatisfy(ExecutableSearch.isExecutable)

    private static let broker = "/usr/sbin/mosquitto"
    private static let subscriber = "/usr/bin/mosquitto_sub"

    let port: UInt16
    private let directory: TemporaryDirectory
    private let process: ChildProcess
    private var listener: ChildProcess?

    init() throws {
        directory = try TemporaryDirectory()
        var port: UInt16 = 0
        try retrying("choose a port") { waymark_test_free_port(&port) }
        self.port = port
        let file = try directory.write(
            "mosquitto.conf",
            """
            listener \(port) 127.0.0.1
            allow_anonymous true
            log_dest none
            max_queued_messages 0
            \(geteuid() == 0 ? "user root" : "")

            """)
        process = try ChildProcess(ChildProcess.Launch(Self.broker, ["-c", file], isGuarded: true))
        let path = directory.file("messages")
        let output = try OwnedDescriptor("open", subject: path) {
            open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        // Subscribed is who has said something once it was asked to: a message of its own.
        listener = try ChildProcess(
            ChildProcess.Launch(
                "/bin/sh",
                [
                    "-c",
                    "until /usr/bin/stdbuf -oL \(Self.subscriber) -h 127.0.0.1 -p \(port) -q 1 -t 'owntracks/#' -d; do sleep 0.1; done",
                ], output: .descriptor(output.number), isGuarded: true))
        let isListening = eventually(within: 20) { text.contains("SUBACK") }
        guard isListening else { throw SystemError("subscribe", code: ETIMEDOUT) }
    }

    private var text: String {
        do throws(SystemError) {
            return String(
                decoding: try BoundedFile.bytes(of: directory.file("messages"), limit: 64 << 20), as: UTF8.self)
        } catch {
            return ""
        }
    }

    /// The numbers of the positions that came, in their order.
    var numbers: [Int64] {
        text.split(separator: "\n").compactMap { line in
            guard line.first == "{" else { return nil }
            do throws(JSONError) {
                return try JSON.parse(Array(line.utf8))["_id"]?.stringValue?.split(separator: "/").last
                    .flatMap { Int64($0) }
            } catch {
                return nil
            }
        }
    }

    func end() throws {
        _ = try listener?.terminate(graceSeconds: 1)
        _ = try process.terminate(graceSeconds: 2)
    }
}
