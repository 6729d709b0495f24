/// The app's own name for an object whose state is saved: stable over releases, and unique among the children of one
/// parent.
public struct RestorationIdentifier: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let name: String

    /// An identifier of this name.
    public init(_ name: String) { self.name = name }
    /// An identifier of this name.
    public init(stringLiteral name: String) { self.name = name }

    /// The name.
    public var description: String { name }
}

/// The identifiers from the app down to one of its objects. The path without identifiers is that of the app itself.
public struct RestorationPath: Hashable, Sendable, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// The most identifiers of a path.
    public static let maximumLength = 32

    /// The identifiers, outermost first.
    public let identifiers: [RestorationIdentifier]

    /// A path of these identifiers.
    public init(_ identifiers: [RestorationIdentifier] = []) { self.identifiers = identifiers }
    /// A path of these identifiers.
    public init(arrayLiteral identifiers: RestorationIdentifier...) { self.identifiers = identifiers }

    /// The path of a child.
    public func appending(_ identifier: RestorationIdentifier) -> Self { Self(identifiers + [identifier]) }

    /// The path of the parent; nil for the app itself.
    public var parent: Self? { identifiers.isEmpty ? nil : Self(identifiers.dropLast()) }

    /// The names with slashes between them.
    public var description: String { identifiers.map(\.name).joined(separator: "/") }
}
