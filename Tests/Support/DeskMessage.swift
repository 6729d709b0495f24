import CSystemd

/// Writes the messages of the services that tests have on a bus, sd-bus(3).
enum DeskMessage {
    /// A text.
    static func text(_ message: OpaquePointer?, _ text: String, _ type: Unicode.Scalar = "s") {
        sd_bus_message_append_basic(message, CChar(UInt8(ascii: type)), text)
    }

    /// A number, or a truth value as Int32.
    static func number(_ message: OpaquePointer?, _ type: Unicode.Scalar, _ value: some BitwiseCopyable) {
        var value = value
        sd_bus_message_append_basic(message, CChar(UInt8(ascii: type)), &value)
    }

    /// A container of this type and with these contents.
    static func container(_ message: OpaquePointer?, _ type: Unicode.Scalar, _ contents: String, _ body: () -> Void) {
        sd_bus_message_open_container(message, CChar(UInt8(ascii: type)), contents)
        body()
        sd_bus_message_close_container(message)
    }

    /// One of the entries of `a{sv}`: a name, and a value with this signature.
    static func entry(_ message: OpaquePointer?, _ name: String, _ signature: String, _ body: () -> Void) {
        container(message, "e", "sv") {
            text(message, name)
            container(message, "v", signature, body)
        }
    }

    /// An entry whose value is a text.
    static func entry(_ message: OpaquePointer?, _ name: String, _ value: String) {
        entry(message, name, "s") { text(message, value) }
    }

    /// An entry whose value is a number, or a truth value as Int32.
    static func entry(_ message: OpaquePointer?, _ name: String, _ type: Unicode.Scalar, _ value: some BitwiseCopyable)
    {
        entry(message, name, String(type)) { number(message, type, value) }
    }

    /// Sends the signal that properties of an interface have changed, to one connection or all.
    static func changed(
        _ bus: OpaquePointer, _ path: String, _ interface: String, to name: String? = nil,
        _ entries: (OpaquePointer?) -> Void
    ) {
        var message: OpaquePointer?
        sd_bus_message_new_signal(bus, &message, path, "org.freedesktop.DBus.Properties", "PropertiesChanged")
        text(message, interface)
        container(message, "a", "{sv}") { entries(message) }
        container(message, "a", "s") {}
        sd_bus_send_to(bus, message, name, nil)
        sd_bus_message_unref(message)
    }

    /// Replies to a call.
    static func reply(_ bus: OpaquePointer, to call: OpaquePointer, _ body: (OpaquePointer?) -> Void) {
        var reply: OpaquePointer?
        sd_bus_message_new_method_return(call, &reply)
        body(reply)
        sd_bus_send(bus, reply, nil)
        sd_bus_message_unref(reply)
    }

    /// Refuses a call.
    static func refuse(_ bus: OpaquePointer, _ call: OpaquePointer) {
        var error = sd_bus_error()
        sd_bus_error_set(&error, "org.freedesktop.DBus.Error.UnknownMethod", "no such method")
        var reply: OpaquePointer?
        sd_bus_message_new_method_error(call, &reply, &error)
        sd_bus_error_free(&error)
        sd_bus_send(bus, reply, nil)
        sd_bus_message_unref(reply)
    }
}
