import Glibc
import Platform
import TestSupport

/// A server with TLS, in Python: another implementation than that of the client.
final class TLSServer {
    private let process: ChildProcess
    let port: UInt16

    /// Whether one can be had here.
    static let isPossible = TestCertificates.isPossible && program != nil
    private static let program = ["/usr/bin/python3"].first(where: ExecutableSearch.isExecutable)

    init(_ identity: TestCertificates.Identity, demanding authority: String? = nil, highest: String? = nil) throws {
        let script = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        var arguments = [
            "-W", "ignore", "/\(script)/tls-server.py", identity.certificate, identity.key, authority ?? "-",
        ]
        if let highest { arguments.append(highest) }
        process = try ChildProcess(
            ChildProcess.Launch(
                Self.program ?? "", arguments, output: .pipe, error: .inherited, isGuarded: true))
        let line = try process.firstLine()
        guard let port = UInt16(line) else { throw SystemError("start a server", code: EPROTO, subject: line) }
        self.port = port
    }

    func url(_ host: String = "localhost") -> String { "https://\(host):\(port)/" }
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
