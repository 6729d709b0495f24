import Glibc
import Platform
import Synchronization
import TestSupport

/// The observations of a reader: times, in nanoseconds of CLOCK_MONOTONIC, and bytes.
final class Arrivals: Sendable {
    private let hasEnded = Atomic<Bool>(false)
    /// The number of the reading thread, 0 before it runs.
    private let reader = Atomic<pid_t>(0)
    private let entries = Mutex<[(at: UInt64, bytes: [UInt8])]>([])

    func add(_ bytes: [UInt8]) {
        let now = SystemClock().monotonicNanoseconds
        add(bytes, at: now)
    }

    func add(_ bytes: [UInt8], at instant: UInt64) { entries.withLock { $0.append((instant, bytes)) } }

    var all: [(at: UInt64, bytes: [UInt8])] { entries.withLock { $0 } }
    var count: Int { entries.withLock { $0.count } }

    var threadID: pid_t { reader.load(ordering: .acquiring) }

    /// Waits for the end of the collection: the descriptor may be closed afterwards.
    func waitForEnd() -> Bool { eventually(within: 10) { hasEnded.load(ordering: .acquiring) } }

    /// Reads a descriptor in a thread of its own until its end. The recorded time is when the descriptor became
    /// readable.
    func collect(from descriptor: Int32, thread name: String) throws(SystemError) {
        try DetachedThread.start(name: name) { [self] in
            reader.store(WakeTrace.callingThread, ordering: .releasing)
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&entry, 1, -1) > 0 else { continue }
                let now = SystemClock().monotonicNanoseconds
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                if count <= 0 { return hasEnded.store(true, ordering: .releasing) }
                add(Array(buffer[..<count]), at: now)
            }
        }
    }
}
