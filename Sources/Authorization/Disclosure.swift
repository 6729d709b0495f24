import Location

/// What one requester may see of one fix. Only the gate makes disclosures, and only disclosures can be encoded: a
/// coordinate that did not pass the gate has no way out.
public struct Disclosure: Equatable, Sendable {
    /// The position as it may be seen.
    public let position: Position

    init(_ position: Position) {
        self.position = position
    }
}

/// What one requester may see of the sky. Only the gate makes these.
public struct SkyDisclosure: Equatable, Sendable {
    /// The sky as it may be seen.
    public let sky: SkyView

    init(_ sky: SkyView) {
        self.sky = sky
    }
}
