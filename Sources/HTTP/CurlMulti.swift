import CCurl
import Glibc
import Platform

/// libcurl's multi interface on the event loop, libcurl-multi(3): its sockets and its timer are sources of the loop.
/// Each instance has its own connections and resolved names.
@DaemonActor
final class CurlMulti {
    private let handle: UnsafeMutableRawPointer
    /// The sources by libcurl's descriptors.
    private var sources: [Int32: DuplicateIOSource] = [:]
    /// The descriptors without a transfer: idle connections for reuse. They remain watched, because nearly always they
    /// are used again.
    private var idle: Set<Int32> = []
    private var timer: TimerSource?
    /// Continues when libcurl was left with something to do at once.
    private var soon: DeferSource?
    /// When libcurl wants to be called again, and the time for which the timer is armed: a timer that fires too early
    /// costs less than one that is moved for each transfer. Nanoseconds of CLOCK_MONOTONIC.
    private var dueAt: UInt64?
    private var armedAt: UInt64?
    private let clock: any TimeSource
    private let onDone: @DaemonActor (UnsafeMutableRawPointer, CURLcode) -> Void
    /// Whether a call into libcurl is running, so that its callbacks make none.
    private var isActing = false
    /// Whether libcurl wants to be called again at once.
    private var isDue = false

    /// An instance without transfers. `onDone` is called with each handle whose transfer has ended, from the loop and
    /// never within a call to this class.
    init(
        clock: any TimeSource, onDone: @escaping @DaemonActor (UnsafeMutableRawPointer, CURLcode) -> Void
    ) throws(HTTPSetupError) {
        guard let handle = curl_multi_init() else { throw .library }
        self.handle = handle
        self.clock = clock
        self.onDone = onDone
        do throws(SystemError) {
            timer = try TimerSource(accuracy: .milliseconds(1)) { [weak self] in self?.timerFired() }
            soon = try DeferSource { [weak self] in self?.goOn() }
        } catch {
            curl_multi_cleanup(handle)
            throw .system(error)
        }
        waymark_curl_multi_set_callbacks(
            handle, Self.socketCallback, Self.timerCallback, Unmanaged.passUnretained(self).toOpaque())
        // One destination needs at most two idle connections; the older one is closed.
        _ = waymark_curl_multi_set_number(handle, CURLMOPT_MAXCONNECTS, 2)
    }

    /// Starts a handle's transfer; whether that succeeded.
    func add(_ easy: UnsafeMutableRawPointer) -> Bool {
        follow(easy)
        // libcurl wants to be called at once, which happens below without a timer.
        isActing = true
        let status = curl_multi_add_handle(handle, easy)
        isActing = false
        guard status == CURLM_OK else { return false }
        // A transfer that ended within this call is reported in the loop's next iteration.
        if act(on: CURL_SOCKET_TIMEOUT, 0) < transfers { soon?.arm() }
        return true
    }

    /// Aborts a handle's transfer, or removes the handle after the end.
    func remove(_ easy: UnsafeMutableRawPointer) {
        let wasActing = isActing
        isActing = true
        let reusable = waymark_curl_connection(easy)
        curl_multi_remove_handle(handle, easy)
        isActing = wasActing
        for descriptor in idle where descriptor != reusable { drop(descriptor) }
        if isDue, !isActing { soon?.arm() }
    }

    /// Stops watching a descriptor.
    private func drop(_ descriptor: Int32) {
        idle.remove(descriptor)
        sources.removeValue(forKey: descriptor)?.cancel()
    }

    private func ready(_ descriptor: Int32, _ events: IOEvents) {
        // The other side has closed an idle connection, which libcurl detects before it uses the connection again.
        if idle.contains(descriptor) { return drop(descriptor) }
        var mask: Int32 = 0
        if events.contains(.readable) || events.contains(.hangUp) { mask |= CURL_CSELECT_IN }
        if events.contains(.writable) { mask |= CURL_CSELECT_OUT }
        if events.contains(.failed) { mask |= CURL_CSELECT_ERR }
        act(on: descriptor, mask)
        collect()
    }

    private func timerFired() {
        armedAt = nil
        guard let dueAt else { return }
        guard clock.monotonicNanoseconds >= dueAt else { return wake(at: dueAt) }
        goOn()
    }

    private func goOn() {
        dueAt = nil
        act(on: CURL_SOCKET_TIMEOUT, 0)
        collect()
    }

    private func wake(at time: UInt64) {
        dueAt = time
        if let armedAt, armedAt <= time { return }
        armedAt = time
        timer?.arm(at: time)
    }

    /// Lets libcurl continue, and returns the number of its transfers that have not ended.
    @discardableResult
    private func act(on descriptor: Int32, _ mask: Int32) -> Int {
        isActing = true
        isDue = false
        var running: Int32 = 0
        curl_multi_socket_action(handle, descriptor, mask, &running)
        // Immediate work is done without another iteration of the loop, up to a limit.
        var rounds = 0
        while isDue, rounds < 4 {
            isDue = false
            curl_multi_socket_action(handle, CURL_SOCKET_TIMEOUT, 0, &running)
            rounds += 1
        }
        isActing = false
        if isDue { soon?.arm() }
        return Int(running)
    }

    /// The number of transfers in libcurl, minus those reported to `onDone`.
    var transfers = 0

    private func collect() {
        var result = CURLE_OK
        while let easy = waymark_curl_next_done(handle, &result) { onDone(easy, result) }
    }

    private func watch(_ descriptor: Int32, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            if sources[descriptor] != nil { idle.insert(descriptor) }
            return
        }
        idle.remove(descriptor)
        var events: IOEvents = []
        if what & CURL_POLL_IN != 0 { events.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { events.insert(.writable) }
        if let source = sources[descriptor] {
            source.interest = events
            return
        }
        begin(descriptor, events)
    }

    private func begin(_ descriptor: Int32, _ events: IOEvents) {
        do throws(SystemError) {
            // A response has priority over other work, because the next request waits for it.
            sources[descriptor] = try DuplicateIOSource(descriptor, events, priority: -1) { [weak self] in
                self?.ready(descriptor, $0)
            }
        } catch {
            // libcurl's own time limits end a transfer whose socket is not watched.
            Log.error("an upload's socket cannot be watched: \(error)")
        }
    }

    /// Registers a new socket of libcurl. libcurl does not always report that it has closed one, for example for an
    /// address that did not respond. If a new socket has the same number and needs the same events, libcurl reports no
    /// change of events.
    fileprivate func opened(_ descriptor: Int32) {
        guard let stale = sources.removeValue(forKey: descriptor) else { return }
        stale.cancel()
        if idle.remove(descriptor) == nil { begin(descriptor, stale.interest) }
    }

    /// Makes the transfer of a handle report its sockets.
    private func follow(_ easy: UnsafeMutableRawPointer) {
        waymark_curl_set_opener(easy, Self.openCallback, Unmanaged.passUnretained(self).toOpaque())
    }

    private func schedule(_ milliseconds: Int) {
        switch milliseconds {
        case ..<0:
            isDue = false
            dueAt = nil
        case 0 where isActing: isDue = true
        default: wake(at: clock.monotonicNanoseconds + UInt64(milliseconds) * 1_000_000)
        }
    }

    private static let socketCallback: curl_socket_callback = { _, descriptor, what, context, _ in
        // The context is the object that set the callback and removes it before its own end.
        let multi = Unmanaged<CurlMulti>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
        DaemonActor.assumeIsolated { multi.watch(descriptor, what) }
        return 0
    }

    private static let openCallback: curl_opensocket_callback = { context, _, address in
        guard let address else { return CURL_SOCKET_BAD }
        let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.pointee.family, kind, address.pointee.protocol)
        guard descriptor >= 0 else { return CURL_SOCKET_BAD }
        // The transfer belongs to the object, which aborts it before its own end.
        let multi = Unmanaged<CurlMulti>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
        DaemonActor.assumeIsolated { multi.opened(descriptor) }
        return descriptor
    }

    private static let timerCallback: curl_multi_timer_callback = { _, milliseconds, context in
        // As above.
        let multi = Unmanaged<CurlMulti>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
        DaemonActor.assumeIsolated { multi.schedule(milliseconds) }
        return 0
    }

    isolated deinit {
        // Sources are removed before their descriptors are closed.
        waymark_curl_multi_set_callbacks(handle, nil, nil, nil)
        for source in sources.values { source.cancel() }
        timer?.cancel()
        soon?.cancel()
        curl_multi_cleanup(handle)
    }
}
