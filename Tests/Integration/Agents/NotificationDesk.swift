import CSystemd
import Glibc
import Platform
import Synchronization
import TestSupport

/// A notification service for tests, `org.freedesktop.Notifications` over sd-bus on a thread of its own, and the person
/// who sees the notifications.
final class NotificationDesk: Sendable {
    /// A notification on the screen.
    struct Card: Equatable, Sendable {
        var number: UInt32
        var summary: String
        var body: String
        /// Keys and labels, alternating.
        var actions: [String]
        var replaces: UInt32
        var urgency: UInt8
        var timeout: Int32
        /// The name of the program, as it says itself.
        var program: String
        /// The unique name of the program that shows it.
        var sender: String

        var keys: [String] { actions.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element) }
        var labels: [String] { actions.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element) }
    }

    private enum Order {
        case press(UInt32, String)
        case close(UInt32, reason: UInt32)
        case forge(UInt32, String, to: String)
    }

    private struct State {
        var cards: [Card] = []
        var closedByCall: [UInt32] = []
        var next: UInt32 = 1
        /// When the program that shows a notification knew its number, in nanoseconds of CLOCK_MONOTONIC.
        var knownAt: [UInt32: UInt64] = [:]
        /// The notifications whose programs have not answered yet, by the numbers of the calls.
        var inquiries: [UInt64: UInt32] = [:]
        /// Whether the service shows notifications without giving them their numbers yet.
        var isSlow = false
    }

    private let state = Mutex(State())
    private let desk = BusDesk<Order>()
    private let capabilities: [String]
    private let program: String
    /// Whether pressing a button closes the notification, as most services have it.
    private let closesOnPress: Bool
    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    /// Joins a bus, with `ownsName` as its notification service.
    init(
        _ bus: PrivateBus, capabilities: [String] = ["actions", "body", "body-markup"], closesOnPress: Bool = true,
        program: String = "desk", ownsName: Bool = true
    ) throws {
        self.capabilities = capabilities
        self.program = program
        self.closesOnPress = closesOnPress
        try desk.join(bus, as: ownsName ? Self.name : nil, carryOut: carryOut, handle: handle)
    }

    /// The notifications on the screen.
    var cards: [Card] { state.withLock { $0.cards } }
    /// The notifications that were closed by CloseNotification while they were shown.
    var closedByCall: [UInt32] { state.withLock { $0.closedByCall } }

    /// Waits for a notification of a certain kind, the newest first.
    func card(where condition: (Card) -> Bool = { _ in true }) -> Card? {
        var found: Card?
        _ = eventually {
            found = cards.last(where: condition)
            return found != nil
        }
        return found
    }

    /// Presses a button immediately.
    func press(_ card: Card, _ key: String) { desk.order(.press(card.number, key)) }

    /// Presses a button, as by a person who has read the notification.
    func pressAfterReading(_ card: Card, _ key: String) {
        _ = acceptsButtons(card)
        press(card, key)
    }

    /// Waits until the program accepts the buttons of a notification: it ignores them for a short time, which begins
    /// when it knows the number of the notification.
    func acceptsButtons(_ card: Card) -> Bool {
        let clock = SystemClock()
        return eventually {
            guard let instant = state.withLock({ $0.knownAt[card.number] }) else { return false }
            return clock.monotonicNanoseconds > instant + 900_000_000
        }
    }

    /// Has the service show notifications without answering, until it is to answer again.
    func setSlow(_ isSlow: Bool) { state.withLock { $0.isSlow = isSlow } }

    /// Closes a notification for one of the specification's reasons.
    func close(_ card: Card, reason: UInt32) { desk.order(.close(card.number, reason: reason)) }

    /// Signals that a button of another service's notification was pressed.
    func forge(_ card: Card, _ key: String) { desk.order(.forge(card.number, key, to: card.sender)) }

    /// Leaves the bus, with everything on the screen.
    func leave() { desk.leave() }

    /// Performs the actions of the person.
    private func carryOut(_ order: Order, _ bus: OpaquePointer) {
        switch order {
        case .press(let number, let key):
            signal(bus, "ActionInvoked", number, text: key)
            awaitBus(bus)
            if closesOnPress { close(number, reason: 2, bus) }
        case .close(let number, let reason): close(number, reason: reason, bus)
        case .forge(let number, let key, let destination):
            signal(bus, "ActionInvoked", number, text: key, to: destination)
            signal(bus, "ActionInvoked", number, text: key)
        }
    }

    private func close(_ number: UInt32, reason: UInt32, _ bus: OpaquePointer) {
        let wasThere = state.withLock { state in
            defer { state.cards.removeAll { $0.number == number } }
            return state.cards.contains { $0.number == number }
        }
        if wasThere { signal(bus, "NotificationClosed", number, reason: reason) }
    }

    private func signal(
        _ bus: OpaquePointer, _ member: String, _ number: UInt32, text: String? = nil, reason: UInt32 = 0,
        to destination: String? = nil
    ) {
        var message: OpaquePointer?
        sd_bus_message_new_signal(bus, &message, Self.path, Self.name, member)
        var number = number
        var reason = reason
        sd_bus_message_append_basic(message, CChar(UInt8(ascii: "u")), &number)
        if let text {
            sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), text)
        } else {
            sd_bus_message_append_basic(message, CChar(UInt8(ascii: "u")), &reason)
        }
        sd_bus_send_to(bus, message, destination, nil)
        sd_bus_message_unref(message)
    }

    private func handle(_ message: OpaquePointer, _ bus: OpaquePointer) {
        var call: UInt64 = 0
        if sd_bus_message_get_reply_cookie(message, &call) >= 0 { return answered(call) }
        guard sd_bus_message_is_method_call(message, Self.name, nil) > 0 else { return }
        var reply: OpaquePointer?
        sd_bus_message_new_method_return(message, &reply)
        defer { sd_bus_message_unref(reply) }
        switch sd_bus_message_get_member(message).map({ String(cString: $0) }) {
        case "GetCapabilities":
            sd_bus_message_open_container(reply, CChar(UInt8(ascii: "a")), "s")
            for word in capabilities { sd_bus_message_append_basic(reply, CChar(UInt8(ascii: "s")), word) }
            sd_bus_message_close_container(reply)
        case "GetServerInformation":
            for text in [program, "Waymark", "1.0", "1.2"] {
                sd_bus_message_append_basic(reply, CChar(UInt8(ascii: "s")), text)
            }
        case "CloseNotification":
            let number: UInt32 = read(message, "u", 0)
            let wasThere = cards.contains { $0.number == number }
            if wasThere { state.withLock { $0.closedByCall.append(number) } }
            sd_bus_send(bus, reply, nil)
            return close(number, reason: 3, bus)
        case "Notify":
            // The types of the specification, or nothing.
            guard sd_bus_message_has_signature(message, "susssasa{sv}i") > 0 else { return }
            var number = show(message)
            _ = eventually { state.withLock { !$0.isSlow } }
            sd_bus_message_append_basic(reply, CChar(UInt8(ascii: "u")), &number)
            sd_bus_send(bus, reply, nil)
            return inquire(number, of: sd_bus_message_get_sender(message), bus)
        default: return
        }
        sd_bus_send(bus, reply, nil)
    }

    /// Calls the program that shows a notification. It handles messages in their order, so that it knows the number of
    /// the notification when it answers.
    private func inquire(_ number: UInt32, of program: UnsafePointer<CChar>?, _ bus: OpaquePointer) {
        var message: OpaquePointer?
        sd_bus_message_new_method_call(bus, &message, program, "/", "org.freedesktop.DBus.Peer", "Ping")
        var call: UInt64 = 0
        sd_bus_send(bus, message, &call)
        sd_bus_message_unref(message)
        state.withLock { $0.inquiries[call] = number }
    }

    private func answered(_ call: UInt64) {
        let now = SystemClock().monotonicNanoseconds
        state.withLock { state in
            if let number = state.inquiries.removeValue(forKey: call) { state.knownAt[number] = now }
        }
    }

    /// Returns when the bus has passed on everything that was sent to it.
    private func awaitBus(_ bus: OpaquePointer) {
        let name = "org.freedesktop.DBus"
        var message: OpaquePointer?
        var reply: OpaquePointer?
        sd_bus_message_new_method_call(bus, &message, name, "/org/freedesktop/DBus", name, "GetId")
        sd_bus_call(bus, message, 0, nil, &reply)
        sd_bus_message_unref(message)
        sd_bus_message_unref(reply)
    }

    private func show(_ message: OpaquePointer) -> UInt32 {
        let program = text(message)
        let replaces: UInt32 = read(message, "u", 0)
        _ = text(message)
        let (summary, body) = (text(message), text(message))
        var actions: [String] = []
        sd_bus_message_enter_container(message, CChar(UInt8(ascii: "a")), "s")
        while sd_bus_message_at_end(message, 0) == 0 { actions.append(text(message)) }
        sd_bus_message_exit_container(message)
        let urgency = urgency(message)
        let timeout: Int32 = read(message, "i", -1)
        let sender = String(cString: sd_bus_message_get_sender(message))
        return state.withLock { state in
            let isThere = replaces != 0 && state.cards.contains { $0.number == replaces }
            let number = isThere ? replaces : state.next
            if !isThere { state.next += 1 }
            state.cards.removeAll { $0.number == number }
            state.cards.append(
                Card(
                    number: number, summary: summary, body: body, actions: actions, replaces: replaces,
                    urgency: urgency, timeout: timeout, program: program, sender: sender))
            return number
        }
    }

    private func urgency(_ message: OpaquePointer) -> UInt8 {
        var urgency: UInt8 = 1
        sd_bus_message_enter_container(message, CChar(UInt8(ascii: "a")), "{sv}")
        while sd_bus_message_enter_container(message, CChar(UInt8(ascii: "e")), "sv") > 0 {
            if text(message) == "urgency", sd_bus_message_enter_container(message, CChar(UInt8(ascii: "v")), "y") > 0 {
                urgency = read(message, "y", 1)
                sd_bus_message_exit_container(message)
            } else {
                sd_bus_message_skip(message, "v")
            }
            sd_bus_message_exit_container(message)
        }
        sd_bus_message_exit_container(message)
        return urgency
    }

    private func read<Value: BitwiseCopyable>(_ message: OpaquePointer, _ type: Unicode.Scalar, _ empty: Value) -> Value
    {
        var value = empty
        sd_bus_message_read_basic(message, CChar(UInt8(ascii: type)), &value)
        return value
    }

    private func text(_ message: OpaquePointer) -> String {
        let pointer: UnsafePointer<CChar>? = read(message, "s", nil)
        return pointer.map { String(cString: $0) } ?? ""
    }
}
