import Durations
import HTTPServing
import Platform
import Records

/// Requests that wait for a push to their device.
@DaemonActor
final class PushWaiters {
    /// A request that waits.
    final class Waiter {
        let device: AccountDevice
        let exchange: Exchange
        /// Whether the pending pushes are being read.
        var isReading = false
        /// Whether a push has come since that began.
        var isWoken = false
        /// Whether pushes are sent as events, one after the other, instead of one answer.
        let isStream: Bool
        /// Whether the stream has begun.
        var isBegun = false
        /// The pushes that the stream has sent last.
        var sent: [UInt8] = []
        /// Why they could not be read; nil once they were.
        fileprivate(set) var failure: EngineFailure?
        fileprivate var second: UInt64 = 0

        init(_ device: AccountDevice, _ exchange: Exchange, isStream: Bool = false) {
            self.isStream = isStream
            self.device = device
            self.exchange = exchange
        }
    }

    private var waiters: [AccountDevice: [Waiter]] = [:]
    /// The waiters by the second in which their time ends, so that one timer is enough.
    private var seconds: [UInt64: [Waiter]] = [:]
    private let clock: any TimeSource
    private var timer: TimerSource?
    private var nextSecond = UInt64.max
    /// Those whose pushes could not be read, and may have been read since.
    private var unread: [Waiter] = []
    private var repetition: TimerSource?
    /// Called for a waiter that a push has woken, and for one whose time has ended.
    var wake: (@DaemonActor (Waiter) -> Void)?
    var expire: (@DaemonActor (Waiter) -> Void)?
    /// How many requests wait.
    private(set) var count = 0

    /// The most requests of a device that wait. The oldest one is answered when there are more: its client has most likely
    /// lost it.
    private static let mostOfDevice = 2
    /// How long after a failure the pushes of one of them are read again.
    private static let pause = Duration.seconds(1)

    init(clock: any TimeSource) throws(SystemError) {
        self.clock = clock
        timer = try TimerSource(accuracy: .milliseconds(250)) { [weak self] in self?.expireDue() }
        repetition = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.readOne() }
    }

    /// The devices for which a request waits.
    func isWaiting(_ device: AccountDevice) -> Bool { waiters[device] != nil }

    /// Adds a request that waits for so many seconds.
    func add(_ waiter: Waiter, for wait: Int) {
        var list = waiters[waiter.device] ?? []
        let oldest = list.count >= Self.mostOfDevice ? list.first : nil
        list.append(waiter)
        waiters[waiter.device] = list
        count += 1
        waiter.second = now + UInt64(wait)
        seconds[waiter.second, default: []].append(waiter)
        arm()
        if let oldest { end(oldest) }
    }

    /// Removes a waiter that is answered.
    func remove(_ waiter: Waiter) {
        guard var list = waiters[waiter.device], let index = list.firstIndex(where: { $0 === waiter }) else { return }
        list.remove(at: index)
        waiters[waiter.device] = list.isEmpty ? nil : list
        count -= 1
        seconds[waiter.second]?.removeAll { $0 === waiter }
        if seconds[waiter.second]?.isEmpty == true { seconds[waiter.second] = nil }
    }

    /// Wakes the requests of a device.
    func notify(_ device: AccountDevice) {
        for waiter in waiters[device] ?? [] { wake?(waiter) }
    }

    /// Wakes the requests of all devices.
    func notifyAll() {
        for device in Array(waiters.keys) { notify(device) }
    }

    // Failures

    /// Lets a request wait on whose pushes could not be read.
    func postpone(_ waiter: Waiter, after failure: EngineFailure) {
        waiter.failure = failure
        unread.append(waiter)
        if repetition?.isArmed == false { repetition?.arm(after: Self.pause) }
    }

    /// Wakes the requests that were postponed, because the pushes of this one could be read.
    func resume(_ waiter: Waiter) {
        waiter.failure = nil
        let others = unread
        unread = []
        for waiter in others where waiter.failure != nil && isWaiting(waiter) { wake?(waiter) }
    }

    /// Reads the pushes of one request, which shows whether the others can be read again.
    private func readOne() {
        unread.removeAll { $0.failure == nil || !isWaiting($0) }
        guard !unread.isEmpty else { return }
        let first = unread.removeFirst()
        // The client of the first one may have closed its connection, so that nothing follows from its pushes.
        if !unread.isEmpty { repetition?.arm(after: Self.pause) }
        wake?(first)
    }

    private func isWaiting(_ waiter: Waiter) -> Bool {
        waiters[waiter.device]?.contains { $0 === waiter } == true
    }

    private var now: UInt64 { clock.monotonicNanoseconds / 1_000_000_000 }

    private func end(_ waiter: Waiter) {
        remove(waiter)
        expire?(waiter)
    }

    private func expireDue() {
        let now = now
        for second in seconds.keys where second <= now {
            for waiter in seconds[second] ?? [] { end(waiter) }
        }
        nextSecond = .max
        arm()
    }

    private func arm() {
        guard let earliest = seconds.keys.min(), earliest < nextSecond else { return }
        nextSecond = earliest
        timer?.arm(at: earliest * 1_000_000_000)
    }
}
