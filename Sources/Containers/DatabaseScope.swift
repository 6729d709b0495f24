/// Which of the databases of a container, as an account sees it; the words of the interfaces and of the hub's addresses.
public enum DatabaseScope: String, CaseIterable, Sendable {
    /// The records of the account.
    case `private`
    /// The zones that other accounts share with it.
    case shared
    /// The records of everybody who uses the app.
    case `public`
}
