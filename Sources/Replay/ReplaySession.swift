import CLinux
import Glibc
import Platform

/// A replay: a recording, the pseudo-terminal into which it is written, and the gpsd that reads it.
///
/// For a poll loop: wait for `descriptors` up to `timeoutMilliseconds` and call `step()` until it returns false. `run`
/// is such a loop for callers that wait for nothing else.
public final class ReplaySession {
    /// The gpsd that serves the recording.
    public let gpsd: PrivateGPSD
    /// Writes the recording.
    public let feeder: Feeder
    private let terminal: PseudoTerminal
    private let clock: any TimeSource
    private var wait: Feeder.Wait
    private var state: State

    private enum State {
        case awaitingWatcher(DeviceProbe)
        case playing
    }

    /// The interval of queries whether gpsd reads the terminal, because gpsd does not report that.
    private static let probeNanoseconds: UInt64 = 20_000_000

    /// Opens the terminal and starts gpsd.
    ///
    /// The recording begins with the first step. If it awaits a watcher, it begins once a client of gpsd watches, so
    /// that nothing is lost; without a watcher it never ends. gpsd serves a loopback port, or only the Unix socket at
    /// this path, which belongs to its own user.
    public init(
        _ recording: RecordingFile, pace: Pace, loops: Bool = false, awaitsWatcher: Bool = false, socket: String? = nil,
        clock: any TimeSource = SystemClock()
    ) throws(ReplayError) {
        let terminal = try PseudoTerminal()
        gpsd = try PrivateGPSD.start(device: terminal.path, readsAtOnce: !awaitsWatcher, socket: socket)
        self.terminal = terminal
        self.clock = clock
        feeder = Feeder(recording, pace: pace, loops: loops)
        state = awaitsWatcher ? .awaitingWatcher(try DeviceProbe(at: gpsd.place)) : .playing
        wait = .until(clock.monotonicNanoseconds)
    }

    /// The device that gpsd reads.
    public var device: String { terminal.path }

    /// The descriptors for poll(2): gpsd's exit, and the terminal if it has no room.
    public var descriptors: [pollfd] {
        var requests = [pollfd(fd: gpsd.exitDescriptor, events: Int16(POLLIN), revents: 0)]
        if wait == .writable {
            requests.append(pollfd(fd: terminal.descriptor, events: Int16(POLLOUT), revents: 0))
        }
        return requests
    }

    /// The time-out for poll(2), rounded up to a millisecond; -1 for none.
    public var timeoutMilliseconds: Int32 {
        guard case .until(let due) = wait else { return wait == .writable ? -1 : 0 }
        let now = clock.monotonicNanoseconds
        return due <= now ? 0 : Int32(clamping: (due - now + 999_999) / 1_000_000)
    }

    /// Sends the data that is due and returns whether more follows. Throws if gpsd has ended.
    public func step() throws(ReplayError) -> Bool {
        try gpsd.check()
        let now = clock.monotonicNanoseconds
        if case .awaitingWatcher(let probe) = state {
            guard try probe.isActivated() else {
                wait = .until(now + Self.probeNanoseconds)
                return true
            }
            state = .playing
        }
        wait = try feeder.step(now: now, into: terminal)
        return wait != .finished
    }

    /// Replays to the end, or until another descriptor becomes readable (a signal's, a pipe's). Returns whether it
    /// reached the end.
    public func run(
        until interrupt: Int32 = -1, onProgress: (Feeder.Progress) -> Void = { _ in }
    ) throws(ReplayError) -> Bool {
        while try step() {
            onProgress(feeder.progress)
            var requests = descriptors + [pollfd(fd: interrupt, events: Int16(POLLIN), revents: 0)]
            let timeout = timeoutMilliseconds
            do {
                try retrying("wait") { poll(&requests, nfds_t(requests.count), timeout) }
            } catch {
                throw .system(error)
            }
            if let last = requests.last, last.revents != 0 { return false }
        }
        onProgress(feeder.progress)
        return true
    }

    /// Ends gpsd and waits for its exit. The terminal is closed with this value.
    public func stop() throws(ReplayError) {
        try gpsd.stop()
    }
}
