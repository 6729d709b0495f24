import CLinux
import Glibc
import Platform

/// A continuously running ip(8), `ip -batch -`: a command costs some 30 µs, where starting a program would cost 50
/// times that.
final class IPBatch {
    private let process: ChildProcess
    /// The number of the last line it was given.
    private var line = 0
    private var bytes: [UInt8] = []

    /// Starts one in a network, with `-4`, `-6` or nothing as the option of all commands.
    init(in network: PrivateNetwork, family: String) throws {
        // stdbuf(1), so that output and error messages arrive in order.
        let script = "exec stdbuf -oL ip \(family) -force -batch - 2>&1"
        process = try network.start(
            ChildProcess.Launch("/bin/sh", ["-c", script], input: .pipe, output: .pipe))
    }

    /// Whether a command adds or removes the name of an interface: ip(8) caches each name's index as long as it runs.
    static func changesNames(_ command: String) -> Bool {
        let words = command.split(separator: " ")
        guard words.first == "link", words.count > 1 else { return false }
        return words[1] == "del" || words.contains("netns") || words.contains("name") && words[1] != "add"
    }

    /// Runs one command and returns its output.
    func perform(_ command: String) throws -> String {
        // There is no such object, so the line after the command fails, which shows that the command has ended.
        let request = "\(command)\ndone\n"
        try retrying("write", subject: "ip") { waymark_write_quietly(process.inputPipe, request, request.utf8.count) }
        line += 2
        let end = Array("Object \"done\" is unknown, try \"ip help\".\nCommand failed -:\(line)\n".utf8)
        let deadline = PollDeadline(seconds: 60)
        while !(bytes.count >= end.count && bytes.suffix(end.count).elementsEqual(end)) {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            guard try deadline.poll(process.outputPipe, for: POLLIN) else {
                throw PrivateNetwork.Failure(description: "ip \(command): no reply")
            }
            let count = read(process.outputPipe, &buffer, buffer.count)
            // ip(8) exits at a syntax error.
            guard count != 0 else { throw PrivateNetwork.Failure(description: "ip \(command): \(text)") }
            if count > 0 { bytes += buffer[..<count] }
        }
        bytes.removeLast(end.count)
        defer { bytes = [] }
        guard !text.hasSuffix("Command failed -:\(line - 1)\n") else {
            throw PrivateNetwork.Failure(description: "ip \(command): \(text)")
        }
        return text
    }

    private var text: String { String(decoding: bytes, as: UTF8.self) }
}
