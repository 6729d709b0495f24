import HTTPServing
import CommandLineKit
import Glibc
import Location
import Platform

/// The program `waymark-upload-test-server`: receives uploads on loopback, stores and shows them.
@DaemonActor
public final class TestServer: HTTPService {
    /// Parses this process's arguments and serves until SIGINT or SIGTERM.
    nonisolated public static func run(version: String) -> ExitCode {
        Output.ignoreBrokenPipes()
        switch TestServerOptions.command.start(version: version) {
        case .end(let code): return code
        case .run(let invocation):
            let options = TestServerOptions(invocation)
            EventLoop.main.adoptCurrentThread()
            return DaemonActor.assumeIsolated { serve(options) }
        }
    }

    private static func serve(_ options: TestServerOptions) -> ExitCode {
        do throws(SystemError) {
            let server = try TestServer(options)
            let code = EventLoop.main.run()
            withExtendedLifetime(server) {}
            return ExitCode(rawValue: code) ?? .failure
        } catch {
            let remarks = Output(descriptor: STDERR_FILENO, flushesEachLine: true)
            // If standard error fails, the error cannot be reported.
            do throws(OutputError) { try remarks.line("waymark-upload-test-server: cannot \(error)") } catch {}
            return .failure
        }
    }

    private let options: TestServerOptions
    private let display: Display
    private let clock = SystemClock()
    private var receiver: Receiver
    private var server: HTTPServer?
    private var signals: [SignalSource] = []

    init(_ options: TestServerOptions) throws(SystemError) {
        self.options = options
        display = Display(isJSON: options.isJSON)
        receiver = try Receiver(options)
        let socket =
            options.acceptsSocket
            ? try ListeningSocket.handedOver() : try ListeningSocket.onLoopback(port: options.port)
        let identity = try options.identityFile.map { (path) throws(SystemError) in
            String(decoding: try BoundedFile.bytes(of: path, limit: 65_536), as: UTF8.self)
        }
        let address = try ListeningSocket.address(of: socket.number, isSecured: identity != nil)
        for number in [SIGINT, SIGTERM] {
            signals.append(try SignalSource(number) { [weak self] in self?.end() })
        }
        server = try HTTPServer(socket, identity: identity, service: self)
        notify { () throws(OutputError) in try display.begin(at: address, receiver.ledger, file: options.file) }
    }

    /// Uploads have 1 MiB at most.
    public func begin(_ exchange: Exchange) { exchange.admit(bodyUpTo: 4 << 20) }

    /// Receives an upload, and answers it after the delay of the options.
    public func answer(_ exchange: Exchange) {
        let now = UTCTime(microseconds: clock.utcMicroseconds)
        let outcome = receiver.handle(exchange.request, at: now)
        notify { () throws(OutputError) in try display.show(outcome, of: exchange.request, at: now) }
        guard options.delaySeconds > 0 else { return exchange.reply(outcome.reply) }
        do throws(SystemError) {
            let timer = try TimerSource(accuracy: .milliseconds(1)) { [weak exchange] in exchange?.reply(outcome.reply)
            }
            timer.arm(after: .seconds(options.delaySeconds))
            exchange.context = timer
        } catch {
            Log.error("no response: \(error)")
            exchange.reply(nil)
        }
    }

    private func end() {
        server?.stop()
        server = nil
        notify { () throws(OutputError) in try display.end(receiver.ledger) }
        EventLoop.main.stop()
    }

    /// Prints; if the output was closed, the server ends.
    private func notify(_ print: () throws(OutputError) -> Void) {
        do throws(OutputError) { try print() } catch { EventLoop.main.stop(code: error == .closed ? 0 : 1) }
    }
}
