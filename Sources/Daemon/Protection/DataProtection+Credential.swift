import Cryptography
import Platform
import Protection
import Varlink

// The credential of the service manager that unlocks the machine's data at each start.

extension DataProtection {
    /// Unlocks with the credential of the service manager, if there is one.
    func unlockWithCredential() {
        guard user == nil, let file, file.slots.contains(where: { $0.kind == .credential }) else { return }
        do throws(SystemError) {
            guard let secret = try Self.credential() else {
                return Log.warning("the credential \(Self.credentialName) is missing, so that the data stays locked")
            }
            let completion: Completion = { result in
                if case .failure(let failure) = result {
                    Log.error("the credential does not unlock the data: \(failure)")
                }
            }
            whenLoaded(for: .root) { [self] in
                perform(.unlock, with: .credential(secret), by: "start", completion: completion)
            } orFail: {
                completion(.failure($0))
            }
        } catch { Log.error("the credential does not unlock the data: \(error)") }
    }

    /// The name of the credential that unlocks.
    static let credentialName = "waymark.unlock"

    /// The credential of the service manager that unlocks; nil if there is none.
    static func credential() throws(SystemError) -> SymmetricKey? {
        guard let path = CredentialFile.path(credentialName) else { return nil }
        return SymmetricKey(try Secret(reading: path, limit: SymmetricKey.size))
    }
}
