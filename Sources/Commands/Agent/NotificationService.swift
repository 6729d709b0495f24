import Agent
import Platform

/// The desktop's notification service, `org.freedesktop.Notifications` on the user's message bus.
///
/// Only signals of the service's own bus name are accepted: any program on the bus could send a signal of the same
/// form.
final class NotificationService {
    /// An event of the service.
    enum Event: Equatable {
        /// The service is available, with these capabilities; whether it shows buttons, as far as is known.
        case available([String], showsButtons: Bool)
        /// The service is unavailable; the bus reports when one appears.
        case unavailable(String)
        /// The service assigned a number to a notification.
        case shown(tag: Int, number: UInt32)
        /// A notification could not be shown.
        case notShown(tag: Int, String)
        /// A button of a notification was pressed.
        case pressed(UInt32, key: String)
        /// A notification was closed, for a reason of the specification.
        case closed(UInt32, reason: UInt32)
    }

    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    private static let busName = "org.freedesktop.DBus"

    /// Programs that report the capability `actions` and show no buttons: dunst(5) and mako(5) leave them to a menu of
    /// another program, which has to be installed and configured.
    private static let withoutButtons: Set = ["dunst", "mako"]

    private let bus: MessageBus
    /// The unique name of the service on the bus.
    private var owner: String?
    private var capabilities: Set<String> = []
    /// The pending call for the name of the service's program, which comes before that for its capabilities.
    private var identified: UInt64?
    /// The name of the service's program; empty where it reports none.
    private var program = ""
    /// The pending call for the service's capabilities.
    private var asked: UInt64?
    /// Notifications without a number yet, by the number of the call.
    private var tags: [UInt64: Int] = [:]

    /// Connects to the bus and looks up the service, which the bus starts where it can.
    init() throws(SystemError) {
        let bus = try MessageBus(.user)
        try bus.watch("type='signal',sender='\(Self.name)',path='\(Self.path)',interface='\(Self.name)'")
        try bus.watch(
            "type='signal',sender='\(Self.busName)',interface='\(Self.busName)',member='NameOwnerChanged',"
                + "arg0='\(Self.name)'")
        identified = try bus.send(Self.method("GetServerInformation"))
        self.bus = bus
    }

    /// The descriptor to wait for and the events of poll(2).
    var interest: (descriptor: Int32, events: Int32) {
        get throws(SystemError) { try bus.interest }
    }

    /// The instant at which `next` has to be called without any input; nil for none.
    var deadline: UInt64? { bus.deadline }

    /// Whether a notification has no number yet.
    var awaitsNumber: Bool { !tags.isEmpty }

    /// The next event; nil where there is none.
    /// - Throws: Where the connection to the bus was lost.
    func next() throws(SystemError) -> Event? {
        while let message = try bus.next() {
            if let event = try event(message) { return event }
        }
        return nil
    }

    /// Shows a notification; an event `shown` has its number.
    func show(tag: Int, _ notification: DesktopNotification, replacing: UInt32?) throws(SystemError) {
        let hasBody = capabilities.contains("body")
        let summary =
            hasBody ? notification.summary : ([notification.summary] + notification.lines).joined(separator: " — ")
        let body = hasBody ? notification.body(isMarkup: capabilities.contains("body-markup")) : ""
        let call = try bus.send(
            Self.method("Notify"),
            [
                .string(notification.app?.name ?? "Waymark"), .uint32(replacing ?? 0),
                .string(notification.app == nil ? "find-location-symbolic" : "dialog-information-symbolic"),
                .string(summary),
                .string(body), .strings(notification.buttons.flatMap { [$0.key, $0.label] }),
                .options([
                    // Critical notifications remain until they are answered; an indicator has the lowest urgency.
                    "urgency": .byte(notification.isQuestion ? 2 : notification.app == nil ? 0 : 1),
                    // A desktop applies what the person has set for notifications of the app.
                    "desktop-entry": .string(notification.app?.id ?? "waymark"),
                    "category": .string(notification.app == nil ? "device" : "im.received"),
                ]),
                // An alert remains as long as those of other apps do, and anything else until it is closed.
                .int32(notification.app == nil ? 0 : -1),
            ])
        tags[call] = tag
    }

    /// Closes a notification; has no effect where it is closed already.
    func close(_ number: UInt32) throws(SystemError) {
        try bus.send(Self.method("CloseNotification"), [.uint32(number)])
    }

    private static func method(_ member: String) -> MessageBus.Method {
        MessageBus.Method(destination: name, path: path, interface: name, member: member)
    }

    private func event(_ message: BusMessage) throws(SystemError) -> Event? {
        switch message.kind {
        case .answer(let call) where call == identified, .failure(let call, _, _) where call == identified:
            identified = nil
            program = message.values.first?.string ?? ""
            asked = try bus.send(Self.method("GetCapabilities"))
            return nil
        case .answer(let call): return answered(call, message)
        case .failure(let call, _, let text): return failed(call, text)
        case .signal("\(Self.busName).NameOwnerChanged") where message.sender == Self.busName:
            return try ownerChanged(message)
        case .signal(let signal) where message.sender == owner: return reported(signal, message)
        case .signal, .other: return nil
        }
    }

    private func answered(_ call: UInt64, _ message: BusMessage) -> Event? {
        if call == asked {
            asked = nil
            owner = message.sender
            guard case .strings(let words)? = message.values.first else {
                return .unavailable("The notification service does not report its capabilities.")
            }
            capabilities = Set(words)
            return .available(words, showsButtons: words.contains("actions") && !Self.withoutButtons.contains(program))
        }
        guard let tag = tags.removeValue(forKey: call) else { return nil }
        guard let number = message.values.first?.uint32 else {
            return .notShown(tag: tag, "the notification service gave it no number")
        }
        return .shown(tag: tag, number: number)
    }

    private func failed(_ call: UInt64, _ text: String) -> Event? {
        if call == asked {
            asked = nil
            return .unavailable("There is no notification service: \(text)\(text.hasSuffix(".") ? "" : ".")")
        }
        return tags.removeValue(forKey: call).map { .notShown(tag: $0, text) }
    }

    private func ownerChanged(_ message: BusMessage) throws(SystemError) -> Event? {
        guard message.values.count == 3, message.values[0].string == Self.name else { return nil }
        let isNew = message.values[2].string != owner
        guard isNew else { return nil }
        let hadOwner = owner != nil
        owner = nil
        tags = [:]
        // An answer of the service before does not count.
        let isUnknown = asked != nil || identified != nil
        asked = nil
        // The reply to the capabilities call names the owner from now on.
        let hasOwner = message.values[2].string?.isEmpty == false
        if hasOwner {
            identified = try bus.send(Self.method("GetServerInformation"))
        }
        return hadOwner || isUnknown && !hasOwner ? .unavailable("The notification service has stopped.") : nil
    }

    private func reported(_ signal: String, _ message: BusMessage) -> Event? {
        guard message.values.count == 2, let number = message.values[0].uint32 else { return nil }
        switch signal {
        case "\(Self.name).ActionInvoked": return message.values[1].string.map { .pressed(number, key: $0) }
        case "\(Self.name).NotificationClosed": return message.values[1].uint32.map { .closed(number, reason: $0) }
        default: return nil
        }
    }
}
