import JSONText
import Location
import Varlink

/// What a stream of positions tells: the `Update` of `io.waymark.Location`.
public struct LocationUpdate: Equatable, Sendable {
    /// The position, where there is one to give.
    public var position: Position?
    /// Whether the caller may have positions.
    public var authorizationStatus: AuthorizationStatus
    /// How exact they are.
    public var accuracyAuthorization: AccuracyAuthorization
    /// Why there is no position or not the best one. Words this version does not know are kept.
    public var diagnostics: [String]
    /// Whether the machine is taken to stand still.
    public var isStationary: Bool
    /// Positions left out just before this one because the caller did not read in time.
    public var dropped: Int

    /// Reads an update; nil where a required member is missing.
    public init?(_ json: JSON) {
        guard let status = json["authorizationStatus"]?.stringValue.flatMap(AuthorizationStatus.init),
            let accuracy = json["accuracyAuthorization"]?.stringValue.flatMap(AccuracyAuthorization.init)
        else { return nil }
        if let position = json["position"], !position.isNull {
            guard let position = Position(position) else { return nil }
            self.position = position
        }
        authorizationStatus = status
        accuracyAuthorization = accuracy
        diagnostics = json["diagnostics"]?.arrayValue?.compactMap(\.stringValue) ?? []
        isStationary = json["stationary"]?.boolValue ?? false
        dropped = json["dropped"]?.integerValue.map(Int.init) ?? 0
    }
}
