extension ManifestCatalogue {
    /// How many app ids a list of a difference names; more are counted.
    private static let mostNames = 10

    /// What was done to the machine's manifests, as details of an event: `added`, `changed` and `removed`, each a list of
    /// app ids, and only those that are not empty.
    ///
    /// Users' own manifests do not count: they appear when a user's home is read, and whoever writes them could displace
    /// other events.
    func difference(from old: ManifestCatalogue) -> [String: String] {
        var added: [String] = []
        var changed: [String] = []
        for (name, manifest) in shared where manifest != old.shared[name] {
            if old.shared[name] == nil { added.append(name) } else { changed.append(name) }
        }
        let removed = old.shared.keys.filter { shared[$0] == nil }
        return ["added": added, "changed": changed, "removed": removed]
            .filter { !$0.value.isEmpty }
            .mapValues { names in
                let listed = names.sorted().prefix(Self.mostNames).joined(separator: " ")
                return names.count > Self.mostNames ? "\(listed) and \(names.count - Self.mostNames) more" : listed
            }
    }
}
