import CLinux
import Glibc
import Platform
import ReceiverSimulator
import Replay
import Synchronization

/// A simulated receiver that sends ten epochs a second through a pseudo-terminal, and records when it sent each.
final class LiveReceiver: Sendable {
    let gpsdPort: UInt16
    let gpsdProcess: pid_t
    /// When each epoch was sent: nanoseconds of CLOCK_MONOTONIC by microseconds of its own time.
    private let sent = Mutex<[Int64: UInt64]>([:])
    private let isOver = Atomic<Bool>(false)
    private let terminal: PseudoTerminal
    private let gpsd: Mutex<GPSDBox>

    /// PrivateGPSD is used by one thread at a time: the holder of the lock.
    private final class GPSDBox {
        let gpsd: PrivateGPSD
        init(_ gpsd: PrivateGPSD) { self.gpsd = gpsd }
    }

    init() throws {
        terminal = try PseudoTerminal()
        let gpsd = try PrivateGPSD.start(device: terminal.path)
        guard case .port(let port) = gpsd.place else { throw SystemError("serve a port", code: EINVAL) }
        gpsdPort = port
        gpsdProcess = gpsd.processID
        self.gpsd = Mutex(GPSDBox(gpsd))
    }

    /// Sends for a number of seconds, from a thread of its own.
    func start(seconds: Int) throws {
        guard let preset = Preset.named("drive") else { return }
        let recording = Recording(preset.scenario(duration: Double(seconds), rate: 10), seed: 1)
        try DetachedThread.start(name: "receiver") { [self] in
            let clock = SystemClock()
            var due = clock.monotonicNanoseconds
            for epoch in recording {
                Self.sleep(until: due)
                due += 100_000_000
                sent.withLock { $0[epoch.time.microseconds] = clock.monotonicNanoseconds }
                do { _ = try terminal.write(epoch.bytes[...]) } catch { break }
            }
            isOver.store(true, ordering: .releasing)
        }
    }

    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    /// When each epoch was sent.
    var times: [Int64: UInt64] { sent.withLock { $0 } }

    func stop() throws { try gpsd.withLock { try $0.gpsd.stop() } }

    private static func sleep(until nanoseconds: UInt64) {
        var instant = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &instant, nil) == EINTR {}
    }
}
