import Records

/// What subscriptions to queries are about, as their columns were parsed before: a save to the public database evaluates all
/// subscriptions to the type of its records that require no value, and parsing their conditions takes longer than anything else.
///
/// The bytes of the column are the key, so that an entry is never outdated. For one thread.
public final class ParsedSubjects {
    private struct Key: Hashable {
        let container: Container
        let json: [UInt8]
    }

    private var subjects: [Key: Subscription.Subject] = [:]
    private var bytes = 0

    /// The most subjects, and the most bytes of their columns. Beyond that everything is forgotten.
    private static let mostSubjects = 20_000
    private static let mostBytes = 4 << 20

    /// No subjects.
    public init() {}

    /// How many are stored.
    package var count: Int { subjects.count }

    /// What the column of a subscription says.
    func subject(_ json: [UInt8], in container: Container) throws(FormatError) -> Subscription.Subject {
        let key = Key(container: container, json: json)
        if let known = subjects[key] { return known }
        let subject = try Subscription.Subject(container, json: json)
        if subjects.count >= Self.mostSubjects || bytes + json.count > Self.mostBytes { (subjects, bytes) = ([:], 0) }
        subjects[key] = subject
        bytes += json.count
        return subject
    }
}
