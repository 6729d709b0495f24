/// A key of a manifest by which an app's processes are identified, strongest proof first.
public enum IdentityKey: String, CaseIterable, Sendable {
    /// The app's own listening socket.
    case socket = "Socket"
    /// A system service, by its name or a pattern.
    case unit = "Unit"
    /// A unit of the user's own manager, by its name or a pattern.
    case userUnit = "UserUnit"
    /// The id of a Flatpak app.
    case flatpak = "Flatpak"
    /// The path of the program.
    case exec = "Exec"

    /// Whether only a file that belongs to root may have it.
    public var isRootsOnly: Bool { self == .socket || self == .unit }
}
