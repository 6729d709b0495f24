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
        do throws(SystemError) {
            let storage = try file.store(bytes)
            for (id, keyPath, packed, offset) in texts {
                guard var manifest = manifests[id] ?? nil else { continue }
                let text = manifest[keyPath: keyPath]
                let stored = StoredText(text, packed: packed, in: storage, at: offset)
                manifest[keyPath: keyPath] = LocalizedText(text, stored: stored, keepsText: keyPath == \.name)
                manifests[id] = manifest
            }
        } catch {
            for (id, manifest) in manifests { manifests[id] = .some(manifest?.withoutTexts) }
            reportMissingTexts("its apps cannot ask for now, as their texts cannot be stored: \(error)")
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

    /// The same with a name and nothing else for people.
    fileprivate var withoutTexts: ManifestFile {
        var manifest = self
        manifest.name = LocalizedText(name.text)
        manifest.whenInUseUsage = nil
        manifest.alwaysUsage = nil
        manifest.temporaryUsages = [:]
        return manifest
    }
}

extension LocalizedText? {
    /// A text that there is.
    fileprivate var orEmpty: LocalizedText {
        get { self ?? LocalizedText("") }
        set { self = newValue }
    }
}
