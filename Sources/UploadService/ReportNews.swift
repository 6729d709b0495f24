import Upload

/// Compares the reports of an uploader, one after the other, and says which of them people are informed of.
struct ReportNews {
    /// Whether people are informed of the last report.
    private(set) var concernsPeople = false
    private var state: UploadState?
    /// Whether an attempt is in progress after a failure that people were informed of.
    private var isAttemptOpen = false

    /// Receives a report. Returns whether it looks different to people than the one before.
    mutating func receive(_ report: UploadReport) -> Bool {
        let isNews = state.map { !$0.isSameForPeople(as: report.state) } ?? true
        state = report.state
        // An attempt after a failure is not worth a message before it has succeeded.
        let isAttempt = report.lastFailure != nil && !report.state.isObstacle
        concernsPeople = isNews && !isAttempt || isAttemptOpen && !isAttempt
        isAttemptOpen = isAttempt
        return isNews
    }
}

extension UploadState {
    /// Whether both states look the same to people: the difference between working and idle, and the time of the next
    /// attempt, do not count.
    fileprivate func isSameForPeople(as other: UploadState) -> Bool {
        guard isObstacle || other.isObstacle else { return true }
        return words == other.words
    }
}
