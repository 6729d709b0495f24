import CWaymark
import Durations
import Glibc
import Interfaces
import Location
import Platform
import Varlink

/// A `waymark_client`: its calls, the descriptor that is polled, and the events that were not taken.
final class Client {
    let socketPath: String
    private let poller: Poller
    private let process = getpid()
    private let clock = SystemClock()
    private var calls: [UInt64: OpenCall] = [:]
    private var lastCall: UInt64 = 0
    private var events: [Event] = []
    /// The index of the first event that was not taken.
    private var firstEvent = 0

    init(socketPath: String) throws(SystemError) {
        self.socketPath = socketPath
        poller = try Poller()
    }

    deinit {
        // A child after fork(2) closes its copies only: removing a connection would remove it for the parent as well.
        for call in calls.values { isOwn ? call.close(poller) : call.abandon() }
    }

    /// Whether this process made the client.
    var isOwn: Bool { process == getpid() }
    /// The descriptor to poll.
    var descriptor: Int32 { poller.number }
    /// The number of queued events.
    var queuedEvents: Int32 { Int32(clamping: events.count - firstEvent) }
    /// Whether an event may come.
    var isExpecting: Bool { queuedEvents > 0 || !calls.isEmpty }

    /// Begins a call, and returns its number.
    func begin(_ operation: Operation) -> UInt64 {
        lastCall += 1
        let call = OpenCall(lastCall, operation)
        calls[lastCall] = call
        perform([.connect], call)
        return lastCall
    }

    /// Ends a call without an event; false if it is not open.
    func end(_ number: UInt64) -> Bool {
        let queued = events[firstEvent...].contains { $0.call == number }
        guard queued || calls[number] != nil else { return false }
        calls.removeValue(forKey: number)?.close(poller)
        if queued {
            events = events[firstEvent...].filter { $0.call != number }
            firstEvent = 0
        }
        return true
    }

    /// Makes another declaration; false if the call is no open declaration.
    func declare(_ number: UInt64, _ activity: Activity) -> Bool {
        guard let call = calls[number], let declaration = call.operation.declaration else { return false }
        declaration.activity = activity
        perform(call.conversation.declare(call.operation.request()), call)
        watch(call)
        return true
    }

    /// Sends and receives without blocking.
    func handleReadiness() throws(SystemError) {
        for ready in try poller.ready() {
            guard let call = calls[ready.call] else { continue }
            call.flush()
            // An error or the end of the connection is found by reading, after what was received before it.
            if ready.events & ~Readiness.write != 0 { receive(call) }
        }
        let now = clock.monotonicNanoseconds
        for call in calls.values.sorted(by: { $0.number < $1.number }) {
            deliver(call)
            perform(call.conversation.timerFired(at: now), call)
            watch(call)
        }
    }

    /// Milliseconds until `handleReadiness` has to be called; -1 for never.
    var timeout: Int32 {
        if queuedEvents > 0 { return 0 }
        guard let deadline = calls.values.compactMap(\.conversation.deadline).min() else { return -1 }
        let now = clock.monotonicNanoseconds
        return deadline <= now ? 0 : Int32(clamping: (deadline - now) / 1_000_000 + 1)
    }

    /// Takes the first queued event.
    func nextEvent() -> Event? {
        guard firstEvent < events.count else { return nil }
        let event = events[firstEvent]
        firstEvent += 1
        if firstEvent == events.count {
            events.removeAll(keepingCapacity: true)
            firstEvent = 0
        } else if firstEvent >= 1_024 {
            events.removeFirst(firstEvent)
            firstEvent = 0
        }
        if let call = calls[event.call] {
            call.queued -= 1
            deliver(call)
            watch(call)
        }
        return event
    }

    private func receive(_ call: OpenCall) {
        guard call.hasRoom else { return }
        let failure = call.receive()
        deliver(call)
        guard let failure, calls[call.number] != nil else { return }
        perform(call.conversation.failed(failure, at: clock.monotonicNanoseconds), call)
    }

    /// Handles the messages for which there is room.
    private func deliver(_ call: OpenCall) {
        do throws(MalformedMessage) {
            while calls[call.number] != nil, let reply = try call.nextReply() {
                perform(call.conversation.received(reply, at: clock.monotonicNanoseconds), call)
            }
        } catch {
            perform(call.conversation.failed(CallFailure(errno: EPROTO), at: clock.monotonicNanoseconds), call)
        }
    }

    private func watch(_ call: OpenCall) {
        do throws(SystemError) { try call.watch(poller) } catch {
            perform(call.conversation.failed(CallFailure(errno: error.code), at: clock.monotonicNanoseconds), call)
        }
    }

    private func perform(_ effects: [Conversation.Effect], _ call: OpenCall) {
        for effect in effects where calls[call.number] != nil {
            switch effect {
            case .connect: connect(call)
            case .close: call.close(poller)
            case .send(let request): call.send(request)
            case .deliver(let parameters):
                do throws(VarlinkError) {
                    guard let payload = try call.operation.read(parameters) else { continue }
                    queue(Event(call.number, payload), call)
                } catch {
                    // For the conversation, a call with one reply has ended already.
                    perform([.close, .end(CallFailure(errno: EPROTO))], call)
                    return
                }
            case .interrupted(let failure):
                queue(Event(call.number, WAYMARK_EVENT_INTERRUPTED, failure, of: call.operation.peer), call)
            case .resumed: queue(Event(call.number, WAYMARK_EVENT_RESUMED), call)
            case .end(let failure):
                queue(Event(call.number, WAYMARK_EVENT_ENDED, failure, of: call.operation.peer), call)
                calls[call.number] = nil
            }
        }
    }

    private func connect(_ call: OpenCall) {
        let now = clock.monotonicNanoseconds
        do throws(SystemError) {
            // What is already reported is not requested again.
            call.conversation.update(call.operation.request())
            try call.connect(path(of: call.operation.peer), poller)
            perform(call.conversation.connected(at: now), call)
            watch(call)
        } catch {
            perform(
                call.conversation.failed(
                    CallFailure(error, to: call.operation.peer, socketPath: path(of: call.operation.peer)), at: now),
                call)
        }
    }

    private func path(of peer: Peer) -> String {
        switch peer {
        case .daemon: socketPath
        case .sync(let path): path
        }
    }

    private func queue(_ event: Event, _ call: OpenCall) {
        events.append(event)
        call.queued += 1
    }
}
