import Glibc
import Platform

/// A server with TLS, in Python: another implementation than that of the client. It says who the client is, or passes on
/// all that comes to a server without TLS.
public final class TLSServer {
    private static let program = ["/usr/bin/python3"].first(where: ExecutableSearch.isExecutable)

    private let behind: UInt16?
    private var process: ChildProcess
    /// Its port of 127.0.0.1, for the whole life of the value.
    public let port: UInt16

    /// Whether one can be had here.
    public static let isPossible = TestCertificates.isPossible && program != nil

    /// Starts one with this certificate, which may demand one by this authority, speaks no higher version than this, and
    /// may pass all on to a port of loopback.
    public init(
        _ identity: TestCertificates.Identity, demanding authority: String? = nil, highest: String? = nil,
        before behind: UInt16? = nil
    ) throws {
        self.behind = behind
        process = try Self.launch([
            identity.certificate, identity.key, authority, highest, nil, behind.map(String.init),
        ])
        let line = try process.firstLine()
        guard let port = UInt16(line) else { throw SystemError("start a server", code: EPROTO, subject: line) }
        self.port = port
    }

    /// Begins anew with another certificate, at the same port; what is connected is cut off.
    public func restart(_ identity: TestCertificates.Identity, demanding authority: String? = nil) throws {
        process.signal(SIGKILL)
        _ = try process.terminate(graceSeconds: 0)
        process = try Self.launch([
            identity.certificate, identity.key, authority, nil, String(port), behind.map(String.init),
        ])
        let line = try process.firstLine()
        guard line == String(port) else { throw SystemError("start a server", code: EPROTO, subject: line) }
    }

    /// Its address.
    public func url(_ host: String = "localhost") -> String { "https://\(host):\(port)/" }

    private static func launch(_ arguments: [String?]) throws -> ChildProcess {
        let script = try Products.file("Tests/Support/tls-server.py")
        return try ChildProcess(
            ChildProcess.Launch(
                program ?? "", ["-W", "ignore", script] + arguments.map { $0 ?? "-" }, output: .pipe, error: .inherited,
                isGuarded: true))
    }
}

extension ChildProcess {
    /// The first line that it writes.
    func firstLine() throws -> String {
        var line: [UInt8] = []
        let deadline = PollDeadline(seconds: 20)
        while line.last != 0x0A, try deadline.poll(outputPipe, for: POLLIN) {
            var byte: UInt8 = 0
            guard read(outputPipe, &byte, 1) == 1 else { break }
            line.append(byte)
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }
}
