import Cryptography
import Durations
import Interfaces
import JSONText
import Platform
import Protection
import Storage
import Varlink

/// Receives from the daemon how the copy is to be stored, with its key, at once and whenever that changes.
@DaemonActor
final class CopyKeyLink {
    /// What is known of the daemon's decision.
    enum Word {
        case form(DatabaseSealing)
        /// The daemon cannot be reached, and why, part of a sentence for people. It is tried again.
        case unreachable(String)
        /// The daemon does not accept this program, and why, part of a sentence for people. It is tried again.
        case refused(String)
    }

    private let socket: String
    private let clock: any TimeSource
    private let isSealed: @DaemonActor () -> Bool
    private let receive: @DaemonActor (Word) -> Void
    private var client: LoopClient?
    private var releasing: LoopClient?
    private var retry: TimerSource?
    private var pause = DoublingPause(first: .milliseconds(500), longest: .seconds(60))

    /// The pause before the daemon is queried again that has a key which cannot be used: the key may have been restored, or the disk
    /// have room again.
    private static let pauseWhileUnavailable = Duration.seconds(10)
    /// How long the daemon may take for a reply.
    private static let patience = Duration.seconds(60)

    /// - Parameters:
    ///   - isSealed: Whether the copy is sealed at present.
    ///   - receive: Called with each decision.
    init(
        socket: String, clock: any TimeSource, isSealed: @escaping @DaemonActor () -> Bool,
        receive: @escaping @DaemonActor (Word) -> Void
    ) throws(SystemError) {
        self.socket = socket
        self.clock = clock
        self.isSealed = isSealed
        self.receive = receive
        retry = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in self?.connect() }
    }

    /// Queries the daemon.
    func connect() {
        close()
        do {
            // For this connection alone.
            guard let pair = SealingKeyPair(privateKey: try SymmetricKey.random()) else {
                return lost("no pair of keys can be made")
            }
            let client = try LoopClient(path: socket, clock: clock)
            self.client = client
            client.onEnd = { [weak self] error in
                self?.lost("waymarkd does not answer at \(self?.socket ?? ""): \(error)")
            }
            let request = ProtectionInterface.MonitorCopyKey(
                recipient: HexText.text(pair.publicKey.bytes), isSealed: isSealed())
            client.stream(request, timeout: Self.patience) { [weak self] result, _ in
                switch result {
                case .success(let reply): self?.handle(reply, pair)
                case .failure(.reply(let name, let parameters)):
                    let message = parameters["message"]?.stringValue.map { String($0) }
                    self?.tryLater(.refused("waymarkd does not pass the key: \(message ?? name)"))
                // The end of the connection is reported as well.
                case .failure: break
                }
            }
        } catch { lost("waymarkd does not answer at \(socket): \(error)") }
    }

    /// The copy is plain after protection was switched off: the daemon removes the key.
    func release() {
        do throws(VarlinkError) {
            let client = try LoopClient(path: socket, clock: clock)
            releasing = client
            client.call(ProtectionInterface.ReleaseCopyKey(), timeout: Self.patience) { [weak self] result in
                self?.releasing?.close()
                self?.releasing = nil
                switch result {
                case .success: self?.connect()
                case .failure(let error): self?.lost("the key of the copy cannot be released: \(error)")
                }
            }
        } catch { lost("the key of the copy cannot be released: \(error)") }
    }

    private func handle(_ reply: ProtectionInterface.MonitorCopyKey.Reply, _ pair: SealingKeyPair) {
        pause.reset()
        retry?.disarm()
        let reason = reply.reason ?? "the key is unavailable"
        switch reply.sealing {
        case .plain: receive(.form(.plain))
        case .locked: receive(.form(.locked(reason)))
        case .sealed, .unsealing:
            do throws(SystemError) {
                guard let box = reply.key, let key = try CopyKeyBox.open(box, with: pair) else {
                    return receive(.form(.unavailable("waymarkd has passed no key that can be read")))
                }
                receive(.form(reply.sealing == .sealed ? .sealed(key) : .unsealing(key)))
            } catch { receive(.form(.unavailable(error.description))) }
        default:
            retry?.arm(after: Self.pauseWhileUnavailable)
            receive(.form(.unavailable(reason)))
        }
    }

    private func lost(_ why: String) { tryLater(.unreachable(why)) }

    private func tryLater(_ word: Word) {
        close()
        retry?.arm(after: pause.next())
        receive(word)
    }

    private func close() {
        client?.close()
        client = nil
        retry?.disarm()
    }
}
