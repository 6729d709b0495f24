import Glibc
import Platform

/// A server with TLS, in Python: another implementation than the client's. It replies with the client's identity, or
/// passes all data to a server without TLS.
public final class TLSServer {
    private static let program = ["/usr/bin/python3"].first(where: ExecutableSearch.isExecutable)

    private let behind: UInt16?
    private var process: ChildProcess
    private let held: LoopbackPort
    /// Its port of 127.0.0.1, for the whole life of the value.
    public var port: UInt16 { held.number }

    /// Whether one can be had here.
    public static let isPossible = TestCertificates.isPossible && program != nil

    /// Starts one with this certificate, which may demand one by this authority, speaks no higher version than this,
    /// and may pass all on to a port of loopback.
    public init(
        _ identity: TestCertificates.Identity, demanding authority: String? = nil, highest: String? = nil,
        before behind: UInt16? = nil
    ) throws {
        self.behind = behind
        held = try LoopbackPort()
        process = try Self.launch(identity, authority, highest: highest, held.number, behind)
    }

    /// Restarts with another certificate, at the same port; open connections are closed.
    public func restart(_ identity: TestCertificates.Identity, demanding authority: String? = nil) throws {
        process.signal(SIGKILL)
        _ = try process.terminate(graceSeconds: 0)
        process = try Self.launch(identity, authority, highest: nil, port, behind)
    }

    /// Its address.
    public func url(_ host: String = "localhost") -> String { "https://\(host):\(port)/" }

    private static func launch(
        _ identity: TestCertificates.Identity, _ authority: String?, highest: String?, _ port: UInt16, _ behind: UInt16?
    ) throws -> ChildProcess {
        let script = try Products.file("Tests/Support/tls-server.py")
        let arguments = [
            identity.certificate, identity.key, String(port), authority, highest, behind.map(String.init),
        ]
        let process = try ChildProcess(
            ChildProcess.Launch(
                program ?? "", ["-W", "ignore", script] + arguments.map { $0 ?? "-" }, output: .pipe, error: .inherited,
                isGuarded: true))
        let line = try process.firstLine()
        guard line == "listening" else { throw SystemError("start a server", code: EPROTO, subject: line) }
        return process
    }
}

extension ChildProcess {
    /// The first line that it writes.
    func firstLine() throws -> String {
        var line: [UInt8] = []
        let deadline = PollDeadline(seconds: 60)
        while line.last != 0x0A, try deadline.poll(outputPipe, for: POLLIN) {
            var byte: UInt8 = 0
            guard read(outputPipe, &byte, 1) == 1 else { break }
            line.append(byte)
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }
}
