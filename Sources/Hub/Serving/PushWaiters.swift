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
        fileprivate var second: UInt64 = 0

        init(_ device: AccountDevice, _ exchange: Exchange) {
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
    /// Called for a waiter that a push has woken, and for one whose time has ended.
    var wake: (@DaemonActor (Waiter) -> Void)?
    var expire: (@DaemonActor (Waiter) -> Void)?
    /// How many requests wait.
    private(set) var count = 0

    /// The most requests of a device that wait. The oldest one is answered when there are more: its client has most likely
    /// lost it.
    private static let mostOfDevice = 2

    init(clock: any TimeSource) throws(SystemError) {
        self.clock = clock
        timer = try TimerSource(accuracy: .milliseconds(250)) { [weak self] in self?.expireDue() }
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
