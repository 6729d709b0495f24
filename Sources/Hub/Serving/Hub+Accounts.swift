import Cryptography
import Platform
import Records

/// The devices of accounts.
extension Hub {
    /// Writes a change of an account's devices to the log, and ends what a removed device does.
    func note(_ event: AccountEvent) {
        switch event {
        case .invited(let id): Log.notice("device \(id.device) was invited to account \(id.account)")
        case .joined(let id): Log.notice("device \(id.device) has joined account \(id.account)")
        case .removed(let id):
            Log.notice("device \(id.device) was removed from account \(id.account)")
            tokens.forget(id)
            // Its requests that wait are answered with 401.
            waiters.notify(id)
        }
    }

    /// Invites a device, and passes on its code.
    func invite(
        _ device: AccountDevice, seconds: Double,
        _ completion: @escaping @DaemonActor (Result<(code: String, row: InvitationRow), InviteFailure>) -> Void
    ) {
        let code = InvitationCode(RandomBytes.make(InvitationCode.size))
        queue.submit(.invite(device, code: code.bytes, seconds: seconds)) { [weak self] result in
            switch result {
            case .invitation(.success(let row)):
                self?.note(.invited(device))
                completion(.success((code.text, row)))
            case .invitation(.failure(let refusal)): completion(.failure(.refused(refusal)))
            case .failed(let failure): completion(.failure(.engine(failure)))
            default: break
            }
        }
    }

    /// Removes a device.
    func remove(_ device: AccountDevice, _ completion: @escaping @DaemonActor (InviteFailure?) -> Void) {
        queue.submit(.remove(device)) { [weak self] result in
            switch result {
            case .removal(nil, let pushes):
                self?.note(.removed(device))
                self?.wake(pushes)
                completion(nil)
            case .removal(let refusal?, _): completion(.refused(refusal))
            case .failed(let failure): completion(.engine(failure))
            default: break
            }
        }
    }
}

/// Why a device was not invited or removed.
enum InviteFailure: Error {
    case refused(AccountRefusal)
    case engine(EngineFailure)
}
