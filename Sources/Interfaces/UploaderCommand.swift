/// An operator's command to an uploader: the words of `command` in a reply of `io.waymark.Uploads.Attach`.
public enum UploaderCommand: String, CaseIterable, Sendable {
    /// Send what is pending now, whatever the path costs and however long it was to be deferred.
    case flush
    /// Try the dead letters once more.
    case retryRejected
}
