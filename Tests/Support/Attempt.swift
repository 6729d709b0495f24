/// The result, or nil where it failed: for loops that expect some failures and count none.
public func attempt<Value, Failure: Error>(_ body: () throws(Failure) -> Value) -> Value? {
    do { return try body() } catch { return nil }
}
