import CLinux
import Glibc
import NetworkPaths
import Platform
import Resolver

/// One process that looks up one name.
///
/// The process receives the name on its standard input and nothing else: no descriptor of the daemon, no capability,
/// and no environment except LANG and PATH, because variables such as RES_OPTIONS would change the lookup.
@DaemonActor
final class NameProcess: NameInquiry {
    private static let environment = ["LANG": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

    private let process: ChildProcess
    private let handler: @DaemonActor (NameInquiryEvent) -> Void
    private var partial = PartialAnswer()
    private var outputSource: IOSource?
    private var exitSource: IOSource?

    /// Starts the process. The handler is called later; the last event is the end of the process.
    init(
        program: String, name: HostName, handler: @escaping @DaemonActor (NameInquiryEvent) -> Void
    ) throws(SystemError) {
        self.handler = handler
        // Child processes would inherit the ambient capabilities that the unit gave the daemon. The daemon does not
        // need them as ambient ones, because it never calls execve itself.
        waymark_clear_ambient_capabilities()
        process = try ChildProcess(
            ChildProcess.Launch(program, environment: Self.environment, input: .pipe, output: .pipe))
        let line = Array("\(name)\n".utf8)
        // A name is shorter than PIPE_BUF and the pipe is empty, so the write completes even if no process reads it.
        _ = line.withUnsafeBytes { waymark_write_quietly(process.inputPipe, $0.baseAddress, $0.count) }
        process.closeInput()
        outputSource = try IOSource(process.outputPipe, .readable) { [weak self] _ in self?.read() }
        exitSource = try IOSource(process.exitDescriptor, .readable) { [weak self] _ in self?.collect() }
    }

    func stop() -> Bool {
        hearNoMore()
        process.signal(SIGKILL)
        return false
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: partial.room)
        let count = Glibc.read(process.outputPipe, &buffer, buffer.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        if count > 0 {
            if let answer = partial.append(buffer[..<count]) { self.answer(answer) }
        } else if let answer = partial.answer {
            self.answer(answer)
        } else {
            // The last output of the process may explain its end.
            hearNoMore()
        }
    }

    /// Cancels the sources at once rather than when the last reference is dropped: the latter happens after the
    /// source's own event, when the descriptor may be closed but still be registered with the loop.
    private func hearNoMore() {
        outputSource?.cancel()
        outputSource = nil
    }

    private func answer(_ answer: NameAnswer) {
        hearNoMore()
        handler(.answered(answer))
    }

    private func collect() {
        // The last output may be unread. Another process may hold the pipe open, so end of file is not certain.
        while outputSource != nil, waymark_bytes_waiting(process.outputPipe) > 0 { read() }
        if outputSource != nil, let answer = partial.answer { self.answer(answer) }
        let status: ExitStatus?
        do throws(SystemError) { status = try process.exitStatus() } catch {
            Log.error("cannot read the exit status of a resolver process: \(error)")
            status = .exited(-1)
        }
        guard let status else { return }
        hearNoMore()
        exitSource?.cancel()
        exitSource = nil
        handler(.ended(status.description))
    }

    // The sources end before the descriptors that they watch, wherever the last reference is dropped.
    isolated deinit {
        outputSource?.cancel()
        exitSource?.cancel()
    }
}
