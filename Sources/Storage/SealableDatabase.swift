import Glibc

/// A database of a directory that is stored plain or sealed, each under a name of its own, and replaced by the other when that
/// changes. `Database.seal` and `Database.unseal` explain why a crash meanwhile leaves one of them that is complete.
package struct SealableDatabase: Sendable {
    /// The plain file and its steps.
    package let plain: DatabaseSchema
    /// The file whose pages are sealed, with the same steps.
    package let sealed: DatabaseSchema
    /// What is stored, for people: "the regions".
    private let noun: String
    /// What is to be restored when there is a sealed file and no key for it, for people.
    private let lost: String

    /// A database with the same tables in both files.
    package init(plain: DatabaseSchema, sealedName: String, noun: String, lost: String) {
        self.plain = plain
        sealed = DatabaseSchema(
            fileName: sealedName, lockName: plain.lockName, noun: plain.noun, applicationID: plain.applicationID,
            steps: plain.steps)
        self.noun = noun
        self.lost = lost
    }

    /// The file that is used with a form.
    package func schema(_ sealing: DatabaseSealing) -> DatabaseSchema {
        if case .sealed = sealing { sealed } else { plain }
    }

    /// Whether there is a sealed file in a directory.
    package func isSealed(in path: String) -> Bool { access("\(path)/\(sealed.fileName)", F_OK) == 0 }

    /// Whether there is a plain file in a directory.
    package func isPlain(in path: String) -> Bool { access("\(path)/\(plain.fileName)", F_OK) == 0 }

    /// Brings the file of a directory, whose lock the caller has, into a form. Returns what seals it; nil for a plain file.
    ///
    /// `repair` gets the error if the file that is to be replaced is damaged, and what seals that file: it puts another one in
    /// its place, or throws.
    package func prepare(
        _ sealing: DatabaseSealing, in path: String,
        repair: (StorageError, SealedFileSystem?) throws(StorageError) -> Void = { error, _ throws(StorageError) in
            throw error
        }
    ) throws(StorageError) -> SealedFileSystem? {
        switch sealing {
        case .locked(let reason): throw StorageError("open \(noun)", .protectedDataUnavailable, reason)
        case .unavailable(let reason): throw StorageError("open \(noun)", .unreadable, reason)
        case .plain:
            try Database.finishUnsealing(sealed, as: plain, in: path)
            guard !isSealed(in: path) else {
                throw StorageError(
                    "open \(noun)", .unreadable, "there is \(path)/\(sealed.fileName), which is sealed, and \(lost)")
            }
            return nil
        case .sealed(let key):
            try Database.finishUnsealing(sealed, as: plain, in: path)
            let files = try SealedFileSystem(key)
            do throws(StorageError) {
                try Database.seal(plain, as: sealed, in: path, with: files)
            } catch {
                guard error.isDamage else { throw error }
                try repair(error, nil)
                try Database.seal(plain, as: sealed, in: path, with: files)
            }
            return files
        case .unsealing(let key):
            try Database.finishUnsealing(sealed, as: plain, in: path)
            let files = try SealedFileSystem(key)
            do throws(StorageError) {
                try Database.unseal(sealed, as: plain, in: path, with: files)
            } catch {
                guard error.isDamage else { throw error }
                try repair(error, files)
                try Database.unseal(sealed, as: plain, in: path, with: files)
            }
            return nil
        }
    }
}
