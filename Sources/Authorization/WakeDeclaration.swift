/// An event for which an app that does not run may be started.
public enum WakeCause: String, CaseIterable, Sendable {
    /// The machine has entered or left a region, or another event of a monitor of the app.
    case regions
    /// The machine has stayed somewhere, or has left the place of a stay.
    case visits
    /// The machine has moved by more than half a kilometre.
    case significantChange = "significant-change"
    /// The route to the rest of the world is back.
    case path
    /// A host of the app can be reached again.
    case target
    /// Records of a container of the app have changed on another machine.
    case push
}

/// What a manifest says about waking its app.
public struct WakeDeclaration: Equatable, Sendable {
    /// The service that starts the app: of the machine for an app of the machine, else of the app's user.
    public let unit: String
    /// The events for which it may be started.
    public let causes: Set<WakeCause>

    /// A declaration with these values.
    public init(unit: String, causes: Set<WakeCause>) {
        self.unit = unit
        self.causes = causes
    }
}
