/// The fate of unsynchronized writes when the power is lost.
public enum CutStyle: String, CaseIterable, Sendable {
    /// All unsynchronized writes are lost.
    case nothing
    /// No unsynchronized write is lost.
    case everything
    /// All writes up to some time are on the disk.
    case prefix
    /// Each page of 4 KiB is from some time of its own.
    case pages
    /// Each sector of 512 bytes is from some time of its own.
    case sectors
}
