extension FieldValue {
    /// The assets of the value: one, or those of a list.
    public var assets: [Asset] {
        switch self {
        case .asset(let asset): [asset]
        case .list(let list) where list.kind == .asset: list.values.flatMap(\.assets)
        default: []
        }
    }
}

extension Record {
    /// All assets of the record's fields.
    public var assets: Set<Asset> { Asset.all(in: fields) }
}

extension RecordDraft {
    /// All assets of the draft's fields.
    public var assets: Set<Asset> { Asset.all(in: fields) }
}

extension Asset {
    fileprivate static func all(in fields: [FieldName: FieldValue]) -> Set<Asset> {
        fields.values.reduce(into: []) { $0.formUnion($1.assets) }
    }
}
