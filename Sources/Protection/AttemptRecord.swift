import Cryptography
import JSONText
import Location

/// What is stored about attempts to unlock, and about the newest file of keys: a small file beside that file.
public struct AttemptRecord: Equatable, Sendable {
    /// The wrong secrets.
    public var limiter = AttemptLimiter()
    /// The largest `generation` of a file of keys that was used. A file with a smaller one is an old copy, with secrets that
    /// were changed or removed since.
    public private(set) var generation = 0
    /// The `id` of that file; nil if no file was used, or an earlier release has written the record. A file with another one is
    /// that of earlier keys, such as those of an account that had the user's number before.
    public private(set) var keyFile: [UInt8]?

    /// No failure, and no file.
    public init() {}

    /// Stores that a file of keys is used.
    public mutating func use(_ file: KeyFile) {
        generation = keyFile.map { $0 == file.id } ?? true ? max(generation, file.generation) : file.generation
        keyFile = file.id
    }

    /// Why a file of keys is not used; nil if it is the newest one, as far as is known.
    public func objection(to file: KeyFile) -> KeyFile.Damage? {
        if let keyFile, keyFile != file.id { return .otherKeys }
        return file.generation < generation ? .outdated : nil
    }

    private static let form = AuthenticatedText(kind: "attempts", purpose: "waymark attempts", format: 1)

    /// The text for the disk: for the machine's file of keys, or that of a user.
    public func text(of user: UInt32? = nil, machine: SymmetricKey) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("user", user.map { Int($0) })
            writer.member("failures", limiter.failures)
            writer.member("lastFailure", limiter.lastFailure.map { Int($0.microseconds) })
            writer.member("generation", generation)
            writer.member("keyFile", keyFile.map { HexText.text($0) })
        }
        return Self.form.text(writer.bytes, machine: machine)
    }

    /// The record in a text. A text that is no record of this machine, or one of another user, counts as six wrong secrets now, so that damaging the
    /// file gains no attempt.
    public init(text: [UInt8], of user: UInt32? = nil, machine: SymmetricKey, at now: UTCTime) {
        limiter = AttemptLimiter(failures: AttemptLimiter.free + 1, lastFailure: now)
        do {
            let json = try JSON.parse(try Self.form.body(of: text, machine: machine), maximumDepth: 2)
            guard let failures = json["failures"]?.integerValue, let generation = json["generation"]?.integerValue,
                failures >= 0, generation >= 0, json["user"]?.integerValue == user.map(Int64.init)
            else { return }
            limiter = AttemptLimiter(
                failures: Int(failures),
                lastFailure: json["lastFailure"]?.integerValue.map { UTCTime(microseconds: $0) })
            self.generation = Int(generation)
            keyFile = json["keyFile"]?.stringValue.flatMap { HexText.bytes(of: String($0)) }
        } catch { return }
    }
}
