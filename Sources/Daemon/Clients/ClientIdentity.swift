import Authorization
import Location

/// Who a client is, as far as that is proved.
struct ClientIdentity: Equatable {
    /// The app that its program is; nil where no manifest fits it.
    var app: AppID?
    /// How well that is proved.
    var assurance: Assurance?
    /// Whether its user is root, the daemon's own or a member of the operators' group, and its program may do what that
    /// user may. Of positions it gets what its app does all the same, where it is one.
    var isOperator: Bool
    /// The process as the policy knows it; nil where it is of no app.
    var process: Policy.ProcessID?
    /// Why it is of no app, for a person; nil where it is of one.
    var complaint: String?
}
