import Authorization
import Platform

extension ManifestFolder.Contents {
    /// Moves the texts of the manifests from memory to a file. If they cannot be stored, the apps are still known but
    /// cannot request authorization, which is reported as a problem.
    public mutating func moveTexts(to file: TextFile) {
        var bytes: [UInt8] = []
        var texts: [(id: String, keyPath: WritableKeyPath<ManifestFile, LocalizedText>, packed: [UInt8], offset: Int)] =
            []
        for (id, manifest) in manifests {
            guard let manifest else { continue }
            for keyPath in manifest.textPaths {
                let packed = manifest[keyPath: keyPath].packed
                texts.append((id, keyPath, packed, bytes.count))
                bytes += packed
            }
        }
        guard !texts.isEmpty else { return }
        let storage: any StoredBytes
        do throws(SystemError) {
            storage = try file.store(bytes)
        } catch {
            // Whether each text is blank remains known, so that earlier authorizations continue.
            storage = MissingBytes()
            reportMissingTexts("its apps cannot ask for now, as their texts cannot be stored: \(error)")
        }
        for (id, keyPath, packed, offset) in texts {
            guard var manifest = manifests[id] ?? nil else { continue }
            let text = manifest[keyPath: keyPath]
            let stored = StoredText(text, packed: packed, in: storage, at: offset)
            manifest[keyPath: keyPath] = LocalizedText(text, stored: stored, keepsText: keyPath == \.manifest.name)
            manifests[id] = manifest
        }
    }
}

extension ManifestFile {
    /// The key paths of its texts.
    fileprivate var textPaths: [WritableKeyPath<ManifestFile, LocalizedText>] {
        var paths: [WritableKeyPath<ManifestFile, LocalizedText>] = [\.manifest.name]
        if manifest.whenInUseUsage != nil { paths.append(\.manifest.whenInUseUsage.orEmpty) }
        if manifest.alwaysUsage != nil { paths.append(\.manifest.alwaysUsage.orEmpty) }
        if manifest.trackingUsage != nil { paths.append(\.manifest.trackingUsage.orEmpty) }
        return paths + manifest.temporaryUsages.keys.map { \.manifest.temporaryUsages[$0].orEmpty }
            + alertTexts.keys.map { \.alertTexts[$0].orEmpty }
    }
}

/// Stands for bytes that could not be stored.
private final class MissingBytes: StoredBytes {
    func bytes(at offset: Int, count: Int) -> [UInt8]? { nil }
}

extension LocalizedText? {
    /// The text, which exists.
    fileprivate var orEmpty: LocalizedText {
        get { self ?? LocalizedText("") }
        set { self = newValue }
    }
}
