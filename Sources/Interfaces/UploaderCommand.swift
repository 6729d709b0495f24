/// What an operator can want of an uploader: the words of `command` in a reply of `io.waymark.Uploads.Attach`.
public enum UploaderCommand: String, CaseIterable, Sendable {
    /// Send what is pending now, whatever the route costs and however long it was to wait.
    case flush
    /// Try the dead letters once more.
    case retryRejected
}
