/// How long a test waits for what comes by itself, in seconds.
public enum Patience {
    /// For what the daemon is to do of its own accord: less than the half minute after which it looks again anyway, or a
    /// test would wait for that and see no fault.
    public static let daemon: Double = 25
}
