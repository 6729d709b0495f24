import CLinux
import Glibc
import Location
import Platform
import Resolver

/// One process that looks one name up.
///
/// It gets the name on its standard input and nothing else: no descriptor of the daemon's, no environment but LANG and
/// PATH (RES_OPTIONS and the like would be somebody else's wishes), no capability.
@DaemonActor
final class NameProcess {
    /// What is known of it.
    enum Event {
        /// It has answered.
        case answered(NameAnswer)
        /// It is gone and leaves nothing to be collected.
        case ended(ExitStatus)
    }

    private static let environment = ["LANG": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

    private let process: ChildProcess
    private let handler: @DaemonActor (Event) -> Void
    private var output: [UInt8] = []
    private var outputSource: IOSource?
    private var exitSource: IOSource?

    /// Starts it. The handler is called later, and last with its end.
    init(
        program: String, name: HostName, handler: @escaping @DaemonActor (Event) -> Void
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

    /// Ends it; its end is told when it has come.
    func stop() {
        outputSource?.cancel()
        outputSource = nil
        process.signal(SIGKILL)
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: NameAnswer.mostBytes + 1 - output.count)
        let count = Glibc.read(process.outputPipe, &buffer, buffer.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        if count > 0 {
            output += buffer[..<count]
            guard output.count > NameAnswer.mostBytes else { return }
            answer(.failed("the resolver says more than an answer has"))
        } else if let answer = NameAnswer(lines: output) {
            self.answer(answer)
        } else {
            // What it says at its end may tell why.
            outputSource = nil
        }
    }

    private func answer(_ answer: NameAnswer) {
        outputSource = nil
        handler(.answered(answer))
    }

    private func collect() {
        // What it wrote last may not have been read yet; somebody else may have the pipe open, and it not be at its end.
        while outputSource != nil, waymark_bytes_waiting(process.outputPipe) > 0 { read() }
        if outputSource != nil, let answer = NameAnswer(lines: output) { self.answer(answer) }
        let status: ExitStatus?
        do throws(SystemError) { status = try process.exitStatus() } catch {
            Log.error("a resolver's end cannot be collected: \(error)")
            status = .exited(-1)
        }
        guard let status else { return }
        stop()
        exitSource?.cancel()
        exitSource = nil
        handler(.ended(status))
    }

    // Wherever the last reference is dropped: the sources before the descriptors they watch.
    isolated deinit {
        outputSource?.cancel()
        exitSource?.cancel()
    }
}
