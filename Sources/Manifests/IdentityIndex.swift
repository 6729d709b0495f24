import Authorization

/// Finds the manifests that a process fits by one of their identity keys. One key suffices; `Catalogue.match` decides which
/// key counts if several do. The order of what is found is of no importance, and an id may be found more than once.
struct IdentityIndex: Sendable {
    private var names: [IdentityKey: [String: [String]]] = [:]
    private var patterns: [IdentityKey: PatternIndex] = [:]
    /// The ids of templates, such as `report@`, by the part of their units' names before the `@`.
    private var templates: [IdentityKey: [String: [String]]] = [:]

    init(_ manifests: some Sequence<ManifestFile>) {
        var units: [IdentityKey: [(UnitPattern, String)]] = [:]
        for manifest in manifests {
            for (key, value) in manifest.identity {
                if AppName.isTemplate(manifest.id) {
                    if let template = UnitTemplate(value, of: key) {
                        templates[key, default: [:]][template.prefix, default: []].append(manifest.id)
                    }
                    continue
                }
                let pattern = key == .unit || key == .userUnit ? UnitPattern(value) : nil
                if let pattern, !pattern.isName {
                    units[key, default: []].append((pattern, manifest.id))
                } else {
                    names[key, default: [:]][value, default: []].append(manifest.id)
                }
            }
        }
        patterns = units.mapValues(PatternIndex.init)
    }

    /// The ids of the apps, except templates, whose key has this value, or a pattern that matches it.
    func apps(_ key: IdentityKey, _ value: String) -> [String] {
        (names[key]?[value] ?? []) + (patterns[key]?.apps(value) ?? [])
    }

    /// The templates of which a unit with this name is an instance, with the instance's name.
    func templates(_ key: IdentityKey, _ value: String) -> [(template: String, instance: String)] {
        guard let templates = templates[key], let unit = UnitTemplate.split(value) else { return [] }
        return (templates[unit.prefix] ?? []).map { ($0, unit.instance) }
    }
}

/// Finds the patterns that match a name without trying all of them. A matching name has to contain all three-byte sequences
/// of a pattern's literal parts; the pattern is stored under the one of them that the fewest other patterns contain.
private struct PatternIndex: Sendable {
    private var filed: [Trigram: [(UnitPattern, String)]] = [:]

    init(_ patterns: [(UnitPattern, String)]) {
        var counts: [Trigram: Int] = [:]
        for (pattern, _) in patterns { for trigram in Set(pattern.trigrams) { counts[trigram, default: 0] += 1 } }
        for entry in patterns {
            let rarest = entry.0.trigrams.min { counts[$0, default: 0] < counts[$1, default: 0] }
            // `IdentityKey.objection(to:)` has rejected patterns without three literal bytes in a row.
            if let rarest { filed[rarest, default: []].append(entry) }
        }
    }

    func apps(_ name: String) -> [String] {
        Set(Trigram.all(name.utf8)).flatMap { trigram in
            (filed[trigram] ?? []).filter { $0.0.fits(name) }.map(\.1)
        }
    }
}
