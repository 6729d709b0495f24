import CLinux
import Glibc
import NetworkPaths
import Platform
import Resolver

/// One process that looks one name up.
///
/// It gets the name on its standard input and nothing else: no descriptor of the daemon's, no environment but LANG and
/// PATH (RES_OPTIONS and the like would be somebody else's wishes), no capability.
@DaemonActor
final class NameProcess: NameInquiry {
    private static let environment = ["LANG": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

    private let process: ChildProcess
    private let handler: @DaemonActor (NameInquiryEvent) -> Void
    private var partial = PartialAnswer()
    private var outputSource: IOSource?
    private var exitSource: IOSource?

    /// Starts it. The handler is called later, and last with its end.
    init(
        program: String, name: HostName, handler: @escaping @DaemonActor (NameInquiryEvent) -> Void
    ) throws(SystemError) {
        self.handler = handler
        // What the unit gave the daemon to keep when it started it the daemon's own programs would keep, too. The daemon
        // itself loses nothing: it becomes no other program.
        waymark_clear_ambient_capabilities()
        process = try ChildProcess(
            ChildProcess.Launch(program, environment: Self.environment, input: .pipe, output: .pipe))
        let line = Array("\(name)\n".utf8)
        // Less than PIPE_BUF into an empty pipe: it fits, whether somebody reads it or not.
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
            // What it says at its end may tell why.
            hearNoMore()
        }
    }

    /// At once, and not only where the last reference goes: in the source's own turn that is after it, when the
    /// descriptor may be closed already and yet known to the loop.
    private func hearNoMore() {
        outputSource?.cancel()
        outputSource = nil
    }

    private func answer(_ answer: NameAnswer) {
        hearNoMore()
        handler(.answered(answer))
    }

    private func collect() {
        // What it wrote last may not have been read yet; somebody else may have the pipe open, and it not be at its end.
        while outputSource != nil, waymark_bytes_waiting(process.outputPipe) > 0 { read() }
        if outputSource != nil, let answer = partial.answer { self.answer(answer) }
        let status: ExitStatus?
        do throws(SystemError) { status = try process.exitStatus() } catch {
            Log.error("a resolver's end cannot be collected: \(error)")
            status = .exited(-1)
        }
        guard let status else { return }
        hearNoMore()
        exitSource?.cancel()
        exitSource = nil
        handler(.ended(status.description))
    }

    // Wherever the last reference is dropped: the sources before the descriptors they watch.
    isolated deinit {
        outputSource?.cancel()
        exitSource?.cancel()
    }
}
