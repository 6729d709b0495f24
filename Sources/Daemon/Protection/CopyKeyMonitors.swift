import Cryptography
import Interfaces
import JSONText
import Platform
import Protection
import Storage
import Varlink

/// Passes the keys of copies to the programs `waymark-sync`, and to nobody else.
///
/// A key leaves in a sealed box that only the program opens, so that no buffer of a connection ever has it.
@DaemonActor
final class CopyKeyMonitors {
    private typealias Monitor = ProtectionInterface.MonitorCopyKey

    private let keys: CopyKeys
    private let protection: DataProtection
    private let programs: SyncPrograms
    private let clients: Clients
    /// The open calls, each with the public key of its program.
    private var calls: [ObjectIdentifier: (call: LateCall<Monitor>, recipient: SealingKeyPair.PublicKey)] = [:]

    init(keys: CopyKeys, protection: DataProtection, programs: SyncPrograms, clients: Clients) {
        self.clients = clients
        self.keys = keys
        self.protection = protection
        self.programs = programs
    }

    private func scope(of connection: ServerConnection) throws(ProtectionInterface.Failure) -> WakeScope {
        switch programs.scope(of: connection) {
        case .success(let scope): return scope
        case .failure(let objection):
            throw .notAllowed(message: "Only waymark-sync has the key of a copy. \(objection.message)")
        }
    }

    func monitor(_ call: MethodCall<ProtectionInterface.MonitorCopyKey>) throws(ProtectionInterface.Failure) {
        _ = try scope(of: call.connection)
        guard let recipient = HexText.bytes(of: call.parameters.recipient).flatMap(SealingKeyPair.PublicKey.init) else {
            throw .invalidSecret(message: "The recipient is no public key: 32 bytes in hexadecimal digits.")
        }
        let id = ObjectIdentifier(call.call)
        call.call.onEnd = { [weak self] in self?.calls[id] = nil }
        let begin = { @DaemonActor [weak self, call = call.later] in
            guard let self, call.call != nil else { return }
            calls[id] = (call, recipient)
            offer(id)
        }
        protection.whenLoaded(
            for: clients.share(of: call.connection.peer), begin, orFail: { [call = call.later] in call.fail(.init($0)) }
        )
    }

    func release(_ call: MethodCall<ProtectionInterface.ReleaseCopyKey>) throws(ProtectionInterface.Failure) {
        let scope = try scope(of: call.connection)
        protection.whenLoaded(for: clients.share(of: call.connection.peer)) { [keys, call = call.later] in
            do throws(SystemError) { try keys.remove(of: scope) } catch {
                return call.fail(.unavailable(message: "The key of the copy cannot be removed: \(error)."))
            }
            call.reply(.init())
        } orFail: { [call = call.later] in
            call.fail(.init($0))
        }
    }

    /// The data was unlocked, a passphrase was set, or protection was switched off.
    func changed() { for id in Array(calls.keys) { offer(id) } }

    private func offer(_ id: ObjectIdentifier) {
        guard let (late, recipient) = calls[id], let call = late.call else { return }
        do throws(ProtectionInterface.Failure) {
            // The program may have become an app since, by a new manifest.
            let scope = try scope(of: call.connection)
            let reply = EncodedReply(
                Self.reply(keys.sealing(of: scope, isSealed: late.parameters.isSealed), to: recipient), continues: true)
            call.offer { _ in reply }
        } catch { call.fail(error) }
    }

    private static func reply(
        _ sealing: DatabaseSealing, to recipient: SealingKeyPair.PublicKey
    ) -> ProtectionInterface.MonitorCopyKey.Reply {
        switch sealing {
        case .plain: return .init(sealing: .plain)
        case .locked(let reason): return .init(sealing: .locked, reason: reason)
        case .unavailable(let reason): return .init(sealing: .unavailable, reason: reason)
        case .sealed(let key), .unsealing(let key):
            guard let box = CopyKeyBox.seal(key, for: recipient) else {
                return .init(sealing: .unavailable, reason: "the public key of the program is not one that seals")
            }
            guard case .sealed = sealing else { return .init(sealing: .unsealing, key: box) }
            return .init(sealing: .sealed, key: box)
        }
    }
}
