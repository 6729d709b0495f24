import Authorization
import Location

/// The identity of a client, as far as it is proved.
struct ClientIdentity: Equatable {
    /// The app of its program; nil if no manifest matches.
    var app: AppID?
    /// The assurance of the identification.
    var assurance: Assurance?
    /// Whether its user is root, the daemon's own user or a member of the operators' group, and its program may act
    /// with that user's rights. If the program is an app, the app's authorization applies to positions nevertheless.
    var isOperator: Bool
    /// The process as the policy knows it; nil if it belongs to no app.
    var process: Policy.ProcessID?
    /// Why it belongs to no app, for a person; nil if it does.
    var complaint: String?
}
