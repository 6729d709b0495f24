import Platform
import Storage
import SyncInterface

/// Opens, seals and unseals the copy as the daemon decides, and stops synchronization while the copy is closed.
///
/// Without a daemon a plain copy stays open, and a sealed one closed. A copy that was opened once stays open as long as this
/// program runs, as the class `completeUntilFirstUnlock` of its key says, also when the daemon has been restarted and nobody has
/// unlocked the data since.
@DaemonActor
final class CopySealing {
    /// Called when the copy was opened again.
    var onOpen: @DaemonActor () -> Void = {}
    /// Called when the copy is closed.
    var onClose: @DaemonActor () -> Void = {}
    /// Why the copy is not sealed although the daemon may want it, a sentence.
    private(set) var problem: String?

    private let cache: SyncCache
    private let carrier: Carrier
    private var link: CopyKeyLink?
    private var retry: TimerSource?
    /// Whether the file is being sealed, unsealed or opened.
    private var isBusy = false
    /// What the daemon has decided meanwhile, or before an attempt that has failed.
    private var next: DatabaseSealing?
    /// Why the daemon has no key for the open copy, as it was logged last.
    private var reported: String?

    /// The pause after which a copy that could not be sealed, unsealed or opened is tried again.
    private static let pauseAfterFailure = Duration.seconds(60)
    private static let operation = "open the copy of the records"

    init(_ cache: SyncCache, _ carrier: Carrier, socket: String, clock: any TimeSource) throws(SystemError) {
        self.cache = cache
        self.carrier = carrier
        link = try CopyKeyLink(socket: socket, clock: clock) { [cache] in
            cache.isSealed
        } receive: { [weak self] in
            self?.receive($0)
        }
        retry = try TimerSource(accuracy: .seconds(1)) { [weak self] in self?.tryAgain() }
    }

    /// Begins, with a copy that is open or closed.
    func start() throws(StorageError) {
        if let obstacle = cache.obstacle {
            carrier.suspend(because: Self.sentence(obstacle))
        } else {
            try carrier.start()
        }
        link?.connect()
    }

    /// How the copy is stored.
    var form: SyncInterface.CopyForm {
        if cache.obstacle != nil { return .closed }
        return cache.isSealed ? .sealed : .plain
    }

    private func receive(_ word: CopyKeyLink.Word) {
        switch word {
        case .form(let sealing):
            problem = nil
            guard !isBusy else { return next = sealing }
            use(sealing)
        case .unreachable(let why): explain(why)
        case .refused(let why):
            if !cache.isSealed {
                problem = "The copy is not sealed, whether or not the machine has a passphrase: \(why)"
            }
            explain(why)
        }
    }

    /// Says why a sealed copy is closed.
    private func explain(_ why: String) {
        guard !isBusy, cache.isSealed, cache.obstacle?.reason == .protectedDataUnavailable else { return }
        close(.protectedDataUnavailable, why)
    }

    private func use(_ sealing: DatabaseSealing) {
        next = nil
        let isOpen = cache.obstacle == nil
        switch sealing {
        case .plain where isOpen, .sealed where isOpen && cache.isSealed: reported = nil
        case .locked(let reason) where isOpen && cache.isSealed,
            .unavailable(let reason) where isOpen && cache.isSealed:
            guard reason != reported else { return }
            reported = reason
            Log.notice("waymarkd has no key at present (\(reason)), and the copy stays open until this program ends")
        case .locked(let reason): close(.protectedDataUnavailable, reason)
        case .unavailable(let reason): close(.unreadable, reason)
        case .unsealing where isOpen && !cache.isSealed: link?.release()
        case .plain, .sealed, .unsealing: change(to: sealing)
        }
    }

    private func close(_ reason: StorageError.Reason, _ why: String) {
        let error = StorageError(Self.operation, reason, why)
        if cache.obstacle != error { Log.notice("the copy is closed: \(why)") }
        cache.close(because: error)
        carrier.suspend(because: Self.sentence(error))
        onClose()
    }

    /// Brings the copy into another form, on a thread of its own: a large copy takes seconds.
    private func change(to sealing: DatabaseSealing) {
        let wasSealed = cache.isSealed
        let error = StorageError(
            Self.operation, .protectedDataUnavailable,
            "it is being \(wasSealed ? "opened" : "sealed"), which takes some seconds: try again")
        cache.close(because: error)
        carrier.suspend(because: Self.sentence(error))
        onClose()
        isBusy = true
        let prepare = cache.preparation(of: sealing)
        do throws(SystemError) {
            try DetachedThread.start(name: "copy") { [weak self] in
                let result = prepare()
                DaemonActor.post { self?.changed(to: sealing, wasSealed: wasSealed, result) }
            }
        } catch { changed(to: sealing, wasSealed: wasSealed, .failure(StorageError(error))) }
    }

    private func changed(
        to sealing: DatabaseSealing, wasSealed: Bool, _ result: Result<SealedFileSystem?, StorageError>
    ) {
        isBusy = false
        do throws(StorageError) {
            try cache.open(sealedBy: try result.get())
            try carrier.start()
        } catch { return failed(sealing, error) }
        if wasSealed != cache.isSealed { Log.notice("the copy is \(cache.isSealed ? "sealed" : "plain") now") }
        onOpen()
        if let next {
            use(next)
        } else if case .unsealing = sealing {
            link?.release()
        }
    }

    private func failed(_ sealing: DatabaseSealing, _ error: StorageError) {
        let why =
            error.isDamage
            ? "it is damaged, or sealed with another key: restore it and the keys of waymarkd, or remove it and join the account"
                + " again" : "\(error)"
        Log.error("the copy cannot be opened: \(why)")
        cache.close(because: StorageError(Self.operation, .unreadable, why))
        carrier.suspend(because: "The copy of the records cannot be opened: \(why).")
        if next == nil { next = sealing }
        retry?.arm(after: Self.pauseAfterFailure)
    }

    private func tryAgain() {
        if let next, !isBusy { use(next) }
    }

    /// A sentence for people.
    static func sentence(_ obstacle: StorageError) -> String {
        let end = obstacle.message.hasSuffix(".") ? "" : "."
        return "The copy of the records on this machine is closed: \(obstacle.message)\(end)"
    }
}
