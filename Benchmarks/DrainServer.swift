import Glibc
import Platform
import TestSupport

/// A server on loopback for drained positions: waymark-upload-test-server, which reads every point and stores none, or
/// mosquitto without subscribers.
final class DrainServer {
    var port: UInt16 { held.number }
    /// The certificate of its authority; nil without TLS.
    let authority: String?
    private let held: LoopbackPort
    private let certificates: TestCertificates?
    private let directory: TemporaryDirectory
    private let process: ChildProcess
    private let format: DrainFormat

    init(for format: DrainFormat) throws {
        self.format = format
        directory = try TemporaryDirectory()
        held = try LoopbackPort()
        certificates = format == .tls ? try TestCertificates() : nil
        authority = certificates?.authority
        let path = directory.file("output")
        let output = try OwnedDescriptor("open", subject: path) {
            open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        }
        var command = try Self.command(format, held.number, in: directory)
        if let certificates {
            let identity = try certificates.credential(certificates.identity())
            command += ["--tls", try directory.write("identity.pem", identity)]
        }
        process = try ChildProcess(
            ChildProcess.Launch(
                command[0], Array(command.dropFirst()), output: .descriptor(output.number), isGuarded: true))
        let listens = try eventually(within: 20) {
            guard try process.exitStatus() == nil else { return true }
            guard format == .mqtt else { return try printed().contains("\n") }
            return try LoopbackPort.connection(to: port) != nil
        }
        guard listens, try process.exitStatus() == nil else {
            throw OwnNetwork.Unavailable(description: "\(command[0]) does not listen")
        }
    }

    private static func command(
        _ format: DrainFormat, _ port: UInt16, in directory: TemporaryDirectory
    ) throws -> [String] {
        guard format == .mqtt else {
            return [try Products.program("waymark-upload-test-server"), "--port", "\(port)"]
        }
        guard let broker = ExecutableSearch.find("mosquitto", alsoIn: ["/usr/sbin"]) else {
            throw OwnNetwork.Unavailable(description: "mosquitto is missing: Scripts/setup bench installs it")
        }
        let file = try directory.write(
            "mosquitto.conf",
            """
            listener \(port) 127.0.0.1
            allow_anonymous true
            log_dest none
            max_inflight_messages \(DrainFormat.window)
            set_tcp_nodelay true
            \(geteuid() == 0 ? "user root" : "")

            """)
        return [broker, "-c", file]
    }

    /// Seconds of processor time that it has used.
    var processorSeconds: Double {
        get throws { Double(try ProcessFigures(process.processID).processorMilliseconds) / 1_000 }
    }

    private func printed() throws -> String {
        String(decoding: try BoundedFile.bytes(of: directory.file("output"), limit: 256 << 20), as: UTF8.self)
    }

    /// Ends it, and checks that it received this number of points; a broker cannot report that.
    func end(expecting points: Int) throws {
        let status = try process.terminate(graceSeconds: 10)
        guard format != .mqtt else { return }
        let text = try printed()
        guard status == .exited(0), text.contains("\n\(points) points received: \(points) stored, 0 known already")
        else {
            throw OwnNetwork.Unavailable(description: "the server had something else:\n\(text.suffix(400))")
        }
    }
}
