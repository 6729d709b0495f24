import CCurl
import Glibc
import Platform

/// libcurl's multi interface on the event loop, libcurl-multi(3): its sockets and its timer are sources of the loop. It
/// has connections and looked-up names of its own, which end with it.
@DaemonActor
final class CurlMulti {
    private let handle: UnsafeMutableRawPointer
    /// By libcurl's numbers.
    private var sources: [Int32: DuplicateIOSource] = [:]
    /// Those of them that no transfer waits for: connections that the next one may use again. They are watched on, as
    /// nearly always it does.
    private var idle: Set<Int32> = []
    private var timer: TimerSource?
    /// Goes on where libcurl was left with something to do at once.
    private var soon: DeferSource?
    /// When libcurl wants to be called again, and for when the timer is armed: one that goes off too early costs less than
    /// one that is moved for each transfer. Nanoseconds of CLOCK_MONOTONIC.
    private var dueAt: UInt64?
    private var armedAt: UInt64?
    private let clock: any TimeSource
    private let onDone: @DaemonActor (UnsafeMutableRawPointer, CURLcode) -> Void
    /// Whether a call into libcurl runs, so that none is made from its callbacks.
    private var isActing = false
    /// Whether libcurl wants to be called again at once.
    private var isDue = false

    /// One without transfers. `onDone` is called with each handle whose transfer has ended, from the loop, never from a
    /// call of this class.
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
        // One destination: an idle connection or two, of which the older is closed.
        _ = waymark_curl_multi_set_number(handle, CURLMOPT_MAXCONNECTS, 2)
    }

    /// Begins a handle's transfer; whether it could.
    func add(_ easy: UnsafeMutableRawPointer) -> Bool {
        follow(easy)
        // It wants to be called at once, which happens below: no timer has to go off for that.
        isActing = true
        let status = curl_multi_add_handle(handle, easy)
        isActing = false
        guard status == CURLM_OK else { return false }
        // A transfer that has ended within this call is told of in the loop's next turn.
        if act(on: CURL_SOCKET_TIMEOUT, 0) < transfers { soon?.arm() }
        return true
    }

    /// Ends a handle's transfer, or takes it out after its end.
    func remove(_ easy: UnsafeMutableRawPointer) {
        let wasActing = isActing
        isActing = true
        let reusable = waymark_curl_connection(easy)
        curl_multi_remove_handle(handle, easy)
        isActing = wasActing
        for descriptor in idle where descriptor != reusable { drop(descriptor) }
        if isDue, !isActing { soon?.arm() }
    }

    /// Watches a descriptor no longer.
    private func drop(_ descriptor: Int32) {
        idle.remove(descriptor)
        sources.removeValue(forKey: descriptor)?.cancel()
    }

    private func ready(_ descriptor: Int32, _ events: IOEvents) {
        // The other side has ended a connection that nobody uses, which libcurl finds out before it uses it again.
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

    /// Has libcurl go on, and returns how many transfers it has that have not ended.
    @discardableResult
    private func act(on descriptor: Int32, _ mask: Int32) -> Int {
        isActing = true
        isDue = false
        var running: Int32 = 0
        curl_multi_socket_action(handle, descriptor, mask, &running)
        // What it wants at once is done at once, without a turn of the loop; not for ever.
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

    /// How many transfers libcurl has, as far as `onDone` has told.
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
            // An answer goes before whatever else there is: the next request waits for it.
            sources[descriptor] = try DuplicateIOSource(descriptor, events, priority: -1) { [weak self] in
                self?.ready(descriptor, $0)
            }
        } catch {
            // libcurl's own time limits end what nobody watches.
            Log.error("an upload's socket cannot be watched: \(error)")
        }
    }

    /// libcurl has a new socket. It does not always tell that it has closed one, an address that nobody answered at, and says
    /// nothing of a new one of the same number that it wants the same of.
    fileprivate func opened(_ descriptor: Int32) {
        guard let stale = sources.removeValue(forKey: descriptor) else { return }
        stale.cancel()
        if idle.remove(descriptor) == nil { begin(descriptor, stale.interest) }
    }

    /// Has the transfer of a handle tell of its sockets.
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
        // The context is the object that set the callback and takes it back before it goes.
        let multi = Unmanaged<CurlMulti>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
        DaemonActor.assumeIsolated { multi.watch(descriptor, what) }
        return 0
    }

    private static let openCallback: curl_opensocket_callback = { context, _, address in
        guard let address else { return CURL_SOCKET_BAD }
        let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.pointee.family, kind, address.pointee.protocol)
        guard descriptor >= 0 else { return CURL_SOCKET_BAD }
        // A handle's transfer is one of the object's, which ends it before it goes itself.
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
        // Sources go before their descriptors do.
        waymark_curl_multi_set_callbacks(handle, nil, nil, nil)
        for source in sources.values { source.cancel() }
        timer?.cancel()
        soon?.cancel()
        curl_multi_cleanup(handle)
    }
}
