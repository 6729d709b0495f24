import Authorization
import Platform

extension ManifestFolder.Contents {
    /// Has the texts of its manifests in a file instead of in memory. Where they cannot be stored, its apps are known as
    /// before and cannot ask, which is reported with the problems.
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
            // That they say something stays known: what was allowed because of it goes on.
            storage = MissingBytes()
            reportMissingTexts("its apps cannot ask for now, as their texts cannot be stored: \(error)")
        }
        for (id, keyPath, packed, offset) in texts {
            guard var manifest = manifests[id] ?? nil else { continue }
            let text = manifest[keyPath: keyPath]
            let stored = StoredText(text, packed: packed, in: storage, at: offset)
            manifest[keyPath: keyPath] = LocalizedText(text, stored: stored, keepsText: keyPath == \.name)
            manifests[id] = manifest
        }
    }
}

extension ManifestFile {
    /// Where its texts are.
    fileprivate var textPaths: [WritableKeyPath<ManifestFile, LocalizedText>] {
        var paths: [WritableKeyPath<ManifestFile, LocalizedText>] = [\.name]
        if whenInUseUsage != nil { paths.append(\.whenInUseUsage.orEmpty) }
        if alwaysUsage != nil { paths.append(\.alwaysUsage.orEmpty) }
        return paths + temporaryUsages.keys.map { \.temporaryUsages[$0].orEmpty }
    }
}

/// Bytes for which there was no room.
private final class MissingBytes: StoredBytes {
    func bytes(at offset: Int, count: Int) -> [UInt8]? { nil }
}

extension LocalizedText? {
    /// A text that there is.
    fileprivate var orEmpty: LocalizedText {
        get { self ?? LocalizedText("") }
        set { self = newValue }
    }
}
