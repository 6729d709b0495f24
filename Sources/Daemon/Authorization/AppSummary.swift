import Authorization
import Location

/// A summary of an app, as `io.waymark.Manage` reports it.
struct AppSummary: Equatable {
    /// Its id.
    var name: String
    /// Its user; nil for a manifest that nobody has used yet.
    var uid: UInt32?
    /// What a person calls it; nil where the manifest is gone.
    var title: LocalizedText?
    /// Where the manifest is; nil where it is gone.
    var manifest: String?
    /// What is in force.
    var status: AuthorizationStatus
    var accuracy: AccuracyAuthorization
    var diagnostics: Diagnostics
    /// What is stored.
    var grant: Grant
    var isInUse: Bool
    /// How many of its processes are known now.
    var processes: Int
    /// The weakest proof among them.
    var assurance: Assurance?
    /// How many background activity sessions it has.
    var holds: Int
}

/// A question that nobody has answered.
struct PromptSummary: Equatable {
    var prompt: Prompt
    /// Whether an agent shows it now.
    var isShown: Bool
    var raisedAt: UTCTime
}

/// A background activity session, for an indicator.
struct HoldSummary: Equatable {
    var app: AppID
    /// What a person calls the app.
    var title: LocalizedText
}
