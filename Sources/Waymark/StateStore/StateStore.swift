import Glibc
import Platform
import Synchronization

/// Stores where an app was, so that it is there again after a crash, a reboot or an update.
///
///     let store = try StateStore(app: "org.example.Reader", version: 3)
///     let restoration = try store.restore { state in
///         page = state.decode(.page) ?? 1
///     }
///     try store.save { state in
///         state.encode(page, for: .page)
///     }
///
/// The app saves its state when it goes to the background and when it is to end (SIGTERM), and restores it at its start.
/// A state is restored once only: it is deleted when the restoration has succeeded or failed, and before any code of the
/// app sees it, it is durably marked as opened. So an app that crashes because of a state starts without it the next time.
///
/// The file is `NAME.state` with mode 0600 in the folder that `STATE_DIRECTORY` names, which systemd sets for a service
/// with `StateDirectory=`, otherwise in the app's folder in `XDG_STATE_HOME` or `~/.local/state`. It has at most 1 MiB.
/// Instances of an app that run at the same time need stores of different names.
///
/// The methods can be called from any thread, and their closures are called on the caller's.
public final class StateStore: Sendable {
    /// The format of the files that this release of the library writes.
    public static let format = StateFile.format
    /// The most bytes of a saved state.
    public static let maximumSize = StateFile.limit

    /// The version of the app's state.
    public let version: Int
    private let folder: StateFolder
    private let isRestoring = Mutex(false)
    private let files = Mutex(())

    /// A store of this app.
    ///
    /// - Parameters:
    ///   - app: The identifier of the app, such as `org.example.Reader`.
    ///   - name: The name of the store, for an app that has several.
    ///   - version: A number that the app increases when the meaning of its state changes.
    ///   - folder: The folder of the files; nil for the one that the environment names. It must exist.
    /// - Throws: `.invalidName`, `.noFolder`, `.folderOfOthers`, or `.system` if the folder cannot be made or opened.
    public init(
        app: String, name: String = "restoration", version: Int, folder: String? = nil
    ) throws(StateStoreError) {
        guard StateLocation.isName(app) else { throw .invalidName(app) }
        guard StateLocation.isName(name) else { throw .invalidName(name) }
        let environment = { (variable: String) in getenv(variable).map { String(cString: $0) } }
        let location = folder.map { ($0, false) } ?? StateLocation.folder(of: app, environment: environment)
        guard let (path, isMade) = location else { throw .noFolder }
        self.folder = try StateFolder(path, isMade: isMade, name: name)
        self.version = version
    }

    /// Saves a state, which replaces an earlier one. Returns when that is durable.
    ///
    /// - Parameters:
    ///   - shouldSave: Whether a state is to be saved at all; asked first.
    ///   - encode: Encodes the state of the app, and of its objects as children.
    /// - Throws: `.notStorable` if two children have the same identifier, or the state is larger than `maximumSize`;
    ///   `.system`, for example if the disk is full. The earlier state then remains.
    @discardableResult
    public func save(
        if shouldSave: () -> Bool = { true }, _ encode: (inout StateEncoder) -> Void
    ) throws(StateStoreError) -> Saving {
        if isRestoring.withLock({ $0 }) { return .restoring }
        guard shouldSave() else { return .unwanted }
        let contents: [UInt8]
        do throws(StateArchiveError) {
            contents = try StateFile.encode(StateArchive(encode), version: version)
        } catch {
            throw .notStorable(error)
        }
        return try access { (folder) throws(SystemError) in
            // A restoration may have begun meanwhile, in another thread.
            if isRestoring.withLock({ $0 }) { return .restoring }
            try folder.save(contents)
            return .saved
        }
    }

    /// Deletes the saved state, for example because the person has signed out or has forced the app to quit. Returns when
    /// that is durable.
    public func discard() throws(StateStoreError) {
        try access { (folder) throws(SystemError) in try folder.clear() }
    }

    /// Restores the saved state, and deletes it.
    ///
    /// - Parameters:
    ///   - afterForcedQuit: Whether the person had forced the app to quit: the state is then discarded.
    ///   - shouldRestore: Whether the state is to be restored at all; asked first.
    ///   - migrate: Called for a state of another version of the app, older or newer, or of a format that is not known.
    ///     Returns a state of this version, or nil, and the state is discarded.
    ///   - restore: Called with the state.
    /// - Throws: `.system` if the state cannot be read, or cannot be marked as opened. No closure was called then, and the
    ///   app starts without a state.
    public func restore(
        afterForcedQuit: Bool = false, if shouldRestore: (SavedState) -> Bool = { _ in true },
        migrating migrate: (SavedState) throws -> StateArchive? = { _ in nil },
        _ restore: (StateDecoder) throws -> Void
    ) throws(StateStoreError) -> Restoration {
        let opening = try open(afterForcedQuit: afterForcedQuit)
        guard case .saved(let saved) = opening else { return opening.restoration }
        defer { close() }
        do {
            let decision = try decide(saved, shouldRestore, migrate)
            guard case .restore(let state) = decision else { return decision.restoration }
            try restore(state)
            return .restored
        } catch {
            return .failed(error)
        }
    }

    /// Restores the saved state with a closure that waits, as the synchronous method of this name does. `save` saves
    /// nothing until the closure has returned.
    public func restore(
        afterForcedQuit: Bool = false, if shouldRestore: (SavedState) -> Bool = { _ in true },
        migrating migrate: (SavedState) throws -> StateArchive? = { _ in nil },
        isolation: isolated (any Actor)? = #isolation, _ restore: (StateDecoder) async throws -> Void
    ) async throws(StateStoreError) -> Restoration {
        let opening = try open(afterForcedQuit: afterForcedQuit)
        guard case .saved(let saved) = opening else { return opening.restoration }
        defer { close() }
        do {
            let decision = try decide(saved, shouldRestore, migrate)
            guard case .restore(let state) = decision else { return decision.restoration }
            try await restore(state)
            return .restored
        } catch {
            return .failed(error)
        }
    }

    // The steps of a restoration

    private enum Opening {
        case saved(SavedState)
        case ended(Restoration)

        var restoration: Restoration {
            if case .ended(let restoration) = self { restoration } else { .nothingSaved }
        }
    }

    private enum Decision {
        case restore(StateDecoder)
        case discard(Restoration.DiscardReason)

        var restoration: Restoration {
            if case .discard(let reason) = self { .discarded(reason) } else { .restored }
        }
    }

    /// Marks the saved state as opened, and reads it. After `.saved`, `close` has to be called.
    private func open(afterForcedQuit: Bool) throws(StateStoreError) -> Opening {
        try access { (folder) throws(SystemError) in
            if try folder.hasOpened() {
                // A state that exists beside it was saved by an app that had not finished its restoration.
                try folder.clear()
                return .ended(.discarded(.unfinishedRestoration))
            }
            guard try folder.open() else { return .ended(.nothingSaved) }
            if afterForcedQuit { return try discard(folder, .forcedQuit) }
            switch try folder.readOpened(limit: StateFile.limit) {
            case .foreign: return try discard(folder, .foreign)
            case .tooLarge: return try discard(folder, .tooLarge)
            case .bytes(let bytes):
                guard let saved = StateFile.decode(bytes) else { return try discard(folder, .damaged) }
                isRestoring.withLock { $0 = true }
                return .saved(saved)
            }
        }
    }

    private func discard(
        _ folder: StateFolder, _ reason: Restoration.DiscardReason
    ) throws(SystemError) -> Opening {
        try folder.clear()
        return .ended(.discarded(reason))
    }

    /// Asks the app what to do with a state.
    private func decide(
        _ saved: SavedState, _ shouldRestore: (SavedState) -> Bool, _ migrate: (SavedState) throws -> StateArchive?
    ) throws -> Decision {
        guard shouldRestore(saved) else { return .discard(.unwanted) }
        if saved.version == version, let archive = saved.archive { return .restore(archive.root) }
        guard let migrated = try migrate(saved) else {
            return .discard(.version(SavedVersion(format: saved.format, app: saved.version)))
        }
        return .restore(migrated.root)
    }

    /// Deletes the opened state.
    private func close() {
        do throws(StateStoreError) {
            try access { (folder) throws(SystemError) in
                defer { isRestoring.withLock { $0 = false } }
                try folder.close()
            }
        } catch {
            // The state cannot be restored again, because it is marked as opened. The next `save` or `restore` deletes it.
        }
    }

    private func access<Result>(
        _ body: (StateFolder) throws(SystemError) -> Result
    ) throws(StateStoreError) -> Result {
        do throws(SystemError) {
            return try files.withLock { (_) throws(SystemError) in try body(folder) }
        } catch {
            throw .system(error)
        }
    }
}
