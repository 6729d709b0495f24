import Authorization

/// What a client may see of something that belongs to apps.
enum AppScope: Equatable {
    /// Everything, for operators.
    case everything
    /// What belongs to one app.
    case app(AppID)
}
