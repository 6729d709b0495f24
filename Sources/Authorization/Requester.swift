/// Who asks for a position, as far as the gate has to know.
public struct Requester: Equatable, Sendable {
    /// Whether it is root, the daemon's own user or a member of the operators' group.
    public let isOperator: Bool

    /// A requester that is an operator or is not.
    public init(isOperator: Bool) {
        self.isOperator = isOperator
    }
}
