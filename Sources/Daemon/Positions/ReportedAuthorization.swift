import Location

/// The part of a client's authorization that is sent with every update of its position streams.
struct ReportedAuthorization: Equatable {
    var status: AuthorizationStatus
    var accuracy: AccuracyAuthorization
}
