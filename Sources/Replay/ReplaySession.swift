import CLinux
import Glibc
import Platform

/// A recording, the pseudo-terminal that it is fed into, and the gpsd that reads it.
///
/// For a poll loop: wait for `descriptors` up to `timeoutMilliseconds`, call `step()`, until it returns false.
/// `run` is that loop for callers that wait for nothing else.
public final class ReplaySession {
    /// The gpsd that serves the recording.
    public let gpsd: PrivateGPSD
    /// What sends the recording.
    public let feeder: Feeder
    private let terminal: PseudoTerminal
    private let clock: any TimeSource
    private var wait: Feeder.Wait
    private var state: State

    private enum State {
        case awaitingWatcher(DeviceProbe)
        case playing
    }

    /// How long to wait until asking gpsd again whether it reads the terminal: it does not report that by itself.
    private static let probeNanoseconds: UInt64 = 20_000_000

    /// Opens the terminal and starts gpsd.
    ///
    /// The recording begins with the first step, whether anybody listens or not, or, where it awaits a watcher, once a
    /// client of gpsd watches: then nothing of it is lost, and without one it never ends. gpsd serves a port of loopback, or only
    /// the Unix socket of this path, which it makes for its own user.
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

    /// What poll(2) waits for: gpsd's end, and room in the terminal where that is what is missing.
    public var descriptors: [pollfd] {
        var requests = [pollfd(fd: gpsd.exitDescriptor, events: Int16(POLLIN), revents: 0)]
        if wait == .writable {
            requests.append(pollfd(fd: terminal.descriptor, events: Int16(POLLOUT), revents: 0))
        }
        return requests
    }

    /// How long poll(2) waits, rounded up to a millisecond; -1 for as long as it takes.
    public var timeoutMilliseconds: Int32 {
        guard case .until(let due) = wait else { return wait == .writable ? -1 : 0 }
        let now = clock.monotonicNanoseconds
        return due <= now ? 0 : Int32(clamping: (due - now + 999_999) / 1_000_000)
    }

    /// Sends what is due; whether there is more to come. An error where gpsd has ended.
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

    /// Plays to the end, or until another descriptor becomes readable (a signal's, a pipe's); whether it got to the end.
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

    /// Ends gpsd and waits until it is gone. The terminal goes with this value.
    public func stop() throws(ReplayError) {
        try gpsd.stop()
    }
}
