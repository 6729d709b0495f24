/// Why nothing can be carried to a destination.
enum CarrierProblem: Error, Equatable, CustomStringConvertible {
    /// Something that it needs cannot be used, in words without a secret.
    case unusable(String)

    /// What is wrong.
    var description: String {
        switch self {
        case .unusable(let words): words
        }
    }
}
