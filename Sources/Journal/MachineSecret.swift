import Cryptography
import Glibc
import Platform
import Protection

/// Where the machine's secret is looked for. It is 32 bytes.
public struct MachineSecretSource: Equatable, Sendable {
    /// The file that the configuration names; nil for none.
    public var file: String?
    /// The file of the service manager's credential; nil for none.
    public var credential: String?

    /// The name of the credential, and the name of its file in `$CREDENTIALS_DIRECTORY`.
    public static let credentialName = "waymark.machine-secret"
    /// The name of the file in the state directory that is used where there is neither a configured file nor a credential.
    public static let fileName = "machine.secret"

    /// A secret in these files.
    public init(file: String? = nil, credential: String? = nil) {
        self.file = file
        self.credential = credential
    }

    /// The file that holds the secret of a state directory, and what it is.
    ///
    /// A file in the state directory comes before the credential, because rows were sealed with it.
    public func place(in stateDirectory: String) -> MachineSecretPlace {
        if let file { return .file(file) }
        let own = "\(stateDirectory)/\(Self.fileName)"
        if access(own, F_OK) == 0 { return .stateDirectory(own) }
        return credential.map(MachineSecretPlace.credential) ?? .stateDirectory(own)
    }
}

/// The machine's secret, as the journal has found it.
public struct MachineSecretReport: Sendable {
    /// Where it is, or is made when it is needed.
    public var place = MachineSecretPlace.stateDirectory("")
    /// The secret; nil if it was not made yet, or cannot be used.
    public var secret: SymmetricKey?
    /// Why it cannot be used, for people.
    public var problem: String?
    /// The path of the former secret; nil if there is no such file.
    public var formerPath: String?
    /// The former secret, with which something may still be sealed; nil without a file that can be used.
    public var former: SymmetricKey?
    /// Whether rows were sealed with the former secret, and are with the present one now.
    public var hasExchanged = false

    /// Nothing is known yet.
    public init() {}
}

/// The place of the machine's secret.
public enum MachineSecretPlace: Equatable, Sendable {
    /// A file that the configuration names.
    case file(String)
    /// A credential of the service manager.
    case credential(String)
    /// A file beside the data: whoever copies the state directory has it too.
    case stateDirectory(String)

    /// The path.
    public var path: String {
        switch self {
        case .file(let path), .credential(let path), .stateDirectory(let path): path
        }
    }

    /// The name of the credential that is the secret of before, while the secret is exchanged for another one.
    public static let formerCredentialName = "waymark.former-machine-secret"

    /// The path of the former secret, which is there while the secret is exchanged for another one.
    public var formerPath: String {
        guard case .credential(let path) = self, let end = path.lastIndex(of: "/") else { return "\(path).former" }
        return "\(path[...end])\(Self.formerCredentialName)"
    }

    /// The former secret; nil if there is none.
    func loadFormer() throws(SystemError) -> SymmetricKey? {
        do throws(SystemError) { return try Self.file(formerPath).load() } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Makes another secret in the place of the present one, which is stored as the former one before. A crash leaves either
    /// the old secret, twice, or both.
    func exchange(_ present: SymmetricKey) throws(SystemError) -> SymmetricKey {
        guard case .stateDirectory = self else {
            throw SystemError("exchange the machine's secret", code: EINVAL, subject: path)
        }
        try Self.store(present, at: formerPath, noun: "the former machine's secret")
        return try make()
    }

    /// Removes the former secret, durably.
    func removeFormer() throws(SystemError) {
        let path = formerPath
        guard let end = path.lastIndex(of: "/"), access(path, F_OK) == 0 || errno != ENOENT else { return }
        try retrying("remove", subject: path) { unlink(path) }
        try DurableFile.synchronize(directory: String(path[..<end]))
    }

    /// The secret; nil if it is to be made and was not yet.
    func load() throws(SystemError) -> SymmetricKey? {
        let secret: Secret
        do throws(SystemError) {
            secret = try Secret(reading: path, limit: SymmetricKey.size)
        } catch {
            if case .stateDirectory = self, error.code == ENOENT { return nil }
            throw error
        }
        guard let key = SymmetricKey(secret) else {
            throw SystemError("use the machine's secret, which has not 32 bytes,", code: EINVAL, subject: path)
        }
        return key
    }

    /// Makes the secret; EINVAL in a place where it is made by somebody else.
    func make() throws(SystemError) -> SymmetricKey {
        guard case .stateDirectory(let path) = self else {
            throw SystemError("make the machine's secret", code: EINVAL, subject: path)
        }
        let key = try SymmetricKey.random()
        try Self.store(key, at: path, noun: "the machine's secret")
        return key
    }

    private static func store(_ key: SymmetricKey, at path: String, noun: String) throws(SystemError) {
        guard let end = path.lastIndex(of: "/") else { throw SystemError("store \(noun)", code: EINVAL, subject: path) }
        try key.withCopy { bytes throws(SystemError) in
            try DurableFile.replace(
                String(path[path.index(after: end)...]), in: String(path[..<end]), with: bytes, noun: noun)
        }
    }
}
