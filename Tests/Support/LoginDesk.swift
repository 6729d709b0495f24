import CSystemd
import Glibc
import Platform
import Synchronization

/// A logind for tests, as far as sessions and their screens are concerned: sd-bus on a thread of its own.
public final class LoginDesk: Sendable {
    /// A session as it is reported.
    public struct Session: Sendable {
        /// Whose session it is.
        public var uid: UInt32
        /// Its seat; empty for none.
        public var seat: String
        /// `user`, `greeter` or another class.
        public var kind: String
        /// The hint of its screen locker.
        public var isLocked: Bool
        /// `wayland`, `tty` or another type.
        public var type: String
        /// Since when nobody uses it, in microseconds of CLOCK_MONOTONIC; nil if somebody does.
        public var idleSince: UInt64?

        /// A session of these parts.
        public init(
            uid: UInt32, seat: String = "seat0", kind: String = "user", isLocked: Bool = false,
            type: String = "wayland",
            idleSince: UInt64? = nil
        ) {
            self.uid = uid
            self.seat = seat
            self.kind = kind
            self.isLocked = isLocked
            self.type = type
            self.idleSince = idleSince
        }
    }

    private enum Order {
        case add(String, Session)
        case remove(String)
        case hint(String, Bool)
        case idle(String, UInt64?)
        case ask(String)
    }

    private static let name = "org.freedesktop.login1"
    private static let managerPath = "/org/freedesktop/login1"
    private static let interface = "org.freedesktop.login1.Session"
    private let state: Mutex<[String: Session]>
    private let desk = BusDesk<Order>()

    /// Joins a bus with these sessions, with `ownsName` as its logind.
    public init(_ bus: PrivateBus, _ sessions: [String: Session] = [:], ownsName: Bool = true) throws {
        state = Mutex(sessions)
        try desk.join(bus, as: ownsName ? Self.name : nil, carryOut: carryOut, handle: handle)
    }

    /// A session begins.
    public func add(_ id: String, _ session: Session) { desk.order(.add(id, session)) }
    /// A session ends.
    public func remove(_ id: String) { desk.order(.remove(id)) }
    /// The screen locker of a session sets its hint.
    public func setLocked(_ id: String, _ isLocked: Bool) { desk.order(.hint(id, isLocked)) }
    /// Nobody uses a session since an instant, or somebody does: a desktop sets its hint, which is reported.
    public func setIdle(_ id: String, since instant: UInt64?) { desk.order(.idle(id, instant)) }
    /// A program requests that a session's screen be locked, as `loginctl lock-session` does.
    public func requestLock(_ id: String) { desk.order(.ask(id)) }
    /// Leaves the bus.
    public func leave() { desk.leave() }

    private static func path(_ id: String) -> String { "\(managerPath)/session/\(id)" }

    private func carryOut(_ order: Order, _ bus: OpaquePointer) {
        switch order {
        case .add(let id, let session):
            state.withLock { $0[id] = session }
            signal(bus, "SessionNew", id)
        case .remove(let id):
            state.withLock { $0[id] = nil }
            signal(bus, "SessionRemoved", id)
        case .hint(let id, let isLocked):
            state.withLock { $0[id]?.isLocked = isLocked }
            DeskMessage.changed(bus, Self.path(id), Self.interface) { message in
                DeskMessage.entry(message, "LockedHint", "b", Int32(isLocked ? 1 : 0))
            }
        case .idle(let id, let instant):
            let type = state.withLock { sessions in
                sessions[id]?.idleSince = instant
                return sessions[id]?.type
            }
            // logind computes the hint of a text console when it is queried, and reports no change.
            guard type != "tty" else { return }
            DeskMessage.changed(bus, Self.path(id), Self.interface) { Self.append($0, idleSince: instant) }
        case .ask(let id):
            var message: OpaquePointer?
            sd_bus_message_new_signal(bus, &message, Self.path(id), Self.interface, "Lock")
            sd_bus_send(bus, message, nil)
            sd_bus_message_unref(message)
        }
    }

    private func signal(_ bus: OpaquePointer, _ member: String, _ id: String) {
        var message: OpaquePointer?
        sd_bus_message_new_signal(bus, &message, Self.managerPath, "\(Self.name).Manager", member)
        DeskMessage.text(message, id)
        DeskMessage.text(message, Self.path(id), "o")
        sd_bus_send(bus, message, nil)
        sd_bus_message_unref(message)
    }

    private func handle(_ message: OpaquePointer, _ bus: OpaquePointer) {
        var type: UInt8 = 0
        sd_bus_message_get_type(message, &type)
        guard Int(type) == SD_BUS_MESSAGE_METHOD_CALL else { return }
        let path = String(cString: sd_bus_message_get_path(message))
        let sessions = state.withLock { $0 }
        if sd_bus_message_is_method_call(message, "\(Self.name).Manager", "ListSessions") > 0 {
            DeskMessage.reply(bus, to: message) { reply in
                DeskMessage.container(reply, "a", "(susso)") {
                    for (id, session) in sessions.sorted(by: { $0.key < $1.key }) {
                        DeskMessage.container(reply, "r", "susso") {
                            DeskMessage.text(reply, id)
                            DeskMessage.number(reply, "u", session.uid)
                            DeskMessage.text(reply, "somebody")
                            DeskMessage.text(reply, session.seat)
                            DeskMessage.text(reply, Self.path(id), "o")
                        }
                    }
                }
            }
        } else if sd_bus_message_is_method_call(message, "org.freedesktop.DBus.Properties", "GetAll") > 0,
            let session = sessions.first(where: { Self.path($0.key) == path })?.value
        {
            DeskMessage.reply(bus, to: message) { append($0, session) }
        } else {
            DeskMessage.refuse(bus, message)
        }
    }

    private static func append(_ message: OpaquePointer?, idleSince instant: UInt64?) {
        DeskMessage.entry(message, "IdleHint", "b", Int32(instant == nil ? 0 : 1))
        DeskMessage.entry(message, "IdleSinceHintMonotonic", "t", instant ?? 0)
    }

    private func append(_ message: OpaquePointer?, _ session: Session) {
        DeskMessage.container(message, "a", "{sv}") {
            DeskMessage.entry(message, "User", "(uo)") {
                DeskMessage.container(message, "r", "uo") {
                    DeskMessage.number(message, "u", session.uid)
                    DeskMessage.text(message, "\(Self.managerPath)/user/_\(session.uid)", "o")
                }
            }
            DeskMessage.entry(message, "Seat", "(so)") {
                DeskMessage.container(message, "r", "so") {
                    DeskMessage.text(message, session.seat)
                    DeskMessage.text(
                        message, session.seat.isEmpty ? "/" : "\(Self.managerPath)/seat/\(session.seat)", "o")
                }
            }
            DeskMessage.entry(message, "Class", session.kind)
            DeskMessage.entry(message, "LockedHint", "b", Int32(session.isLocked ? 1 : 0))
            DeskMessage.entry(message, "Type", session.type)
            Self.append(message, idleSince: session.idleSince)
            DeskMessage.entry(message, "Timestamp", "t", UInt64(1_780_304_400))
        }
    }
}
