/// What a disk makes of what was written and not synchronized when the power goes.
public enum CutStyle: String, CaseIterable, Sendable {
    /// Nothing of it is there.
    case nothing
    /// All of it is there.
    case everything
    /// What was done up to some moment is there.
    case prefix
    /// Each page of 4 KiB is as it was at some moment.
    case pages
    /// Each sector of 512 bytes is.
    case sectors
}
