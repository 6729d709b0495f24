/// The reason why no carrier can be made for a destination.
enum CarrierProblem: Error, Equatable, CustomStringConvertible {
    /// A part of the configuration cannot be used; the text contains no secret.
    case unusable(String)

    /// The problem, for people.
    var description: String {
        switch self {
        case .unusable(let words): words
        }
    }
}
