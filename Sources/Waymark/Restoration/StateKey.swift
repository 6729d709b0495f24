/// The name of one value in the state of an object, together with the type of the value.
///
///     extension StateKey<Int> {
///         static var page: Self { "page" }
///     }
public struct StateKey<Value: StateValue>: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name, unique within an object.
    public let name: String

    /// A key of this name.
    public init(_ name: String) { self.name = name }
    /// A key of this name.
    public init(stringLiteral name: String) { self.name = name }
}
