import Location

/// The one gate: nothing that holds a coordinate reaches a client but through it.
public struct Gate: Sendable {
    /// A gate with the rules in force: operators get everything, everybody else nothing.
    public init() {}

    /// Whether a requester may have positions.
    public func status(for requester: Requester) -> AuthorizationStatus {
        requester.isOperator ? .authorizedAlways : .notDetermined
    }

    /// How exact a requester's positions are.
    public func accuracy(for requester: Requester) -> AccuracyAuthorization {
        .full
    }

    /// Whether a requester would be refused whatever there is to see; nil where it would not.
    public func refusal(for requester: Requester) -> Refusal? {
        switch status(for: requester) {
        case .authorizedAlways, .authorizedWhenInUse: nil
        case .notDetermined, .restricted, .denied: .notDetermined
        }
    }

    /// What a requester may see of a fix.
    public func view(of fix: Fix, for requester: Requester) throws(Refusal) -> Disclosure {
        if let refusal = refusal(for: requester) { throw refusal }
        return Disclosure(fix)
    }

    /// What a requester may see of the sky.
    public func view(of sky: SkyView, for requester: Requester) throws(Refusal) -> SkyDisclosure {
        if let refusal = refusal(for: requester) { throw refusal }
        return SkyDisclosure(sky)
    }
}
