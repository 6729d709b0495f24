import Authorization
import Interfaces
import Location

/// A summary of an app, as `io.waymark.Manage` reports it.
struct AppSummary: Equatable {
    /// Its id.
    var name: String
    /// Its user; nil for a manifest that has not been used.
    var uid: UInt32?
    /// The app's name for people; nil if the manifest was removed.
    var title: LocalizedText?
    /// The path of the manifest; nil if it was removed.
    var manifest: String?
    /// The authorization in effect.
    var status: AuthorizationStatus
    var accuracy: AccuracyAuthorization
    var diagnostics: Diagnostics
    /// The stored decision.
    var grant: Grant
    var isInUse: Bool
    /// The number of its identified processes.
    var processes: Int
    /// The lowest assurance of these processes.
    var assurance: Assurance?
    /// The number of its background activity sessions.
    var holds: Int
    /// Whether it may track the person, and the stored decision about that.
    var trackingStatus: TrackingAuthorizationStatus
    var trackingGrant: TrackingGrant
    /// What wakes it; nil if its manifest names nothing.
    var waking: ManageInterface.Waking?
}

/// An unanswered prompt.
struct PromptSummary: Equatable {
    var prompt: Prompt
    /// Whether an agent shows it now.
    var isShown: Bool
    var raisedAt: UTCTime
}

/// A background activity session, for an indicator.
struct HoldSummary: Equatable {
    var app: AppID
    /// The app's name for people.
    var title: LocalizedText
}
