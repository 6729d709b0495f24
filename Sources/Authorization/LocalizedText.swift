/// A text of a manifest, with its translations.
public struct LocalizedText: Equatable, Sendable {
    /// The text for who has no translation.
    public var text: String
    private var packed: PackedTranslations

    /// A text and its translations.
    public init(_ text: String, translations: [String: String] = [:]) {
        self.text = text
        packed = PackedTranslations(translations)
    }

    /// Translations by locale, such as `ko` or `pt_BR`. Made anew with each use.
    public var translations: [String: String] {
        get { packed.dictionary }
        set { packed = PackedTranslations(newValue) }
    }

    /// Whether it says anything: of nothing but spaces it does not.
    public var isEmpty: Bool { text.allSatisfy(\.isWhitespace) }
}

/// Translations as bytes, one after the other: a manifest may have thousands, which take four times as much as a dictionary,
/// and are needed only when a person is asked.
struct PackedTranslations: Equatable, Sendable {
    /// For each translation, by locale: the lengths of both texts as 4 bytes each, and their UTF-8.
    private var bytes: [UInt8] = []

    init(_ dictionary: [String: String]) {
        guard !dictionary.isEmpty else { return }
        bytes.reserveCapacity(dictionary.reduce(0) { $0 + 8 + $1.key.utf8.count + $1.value.utf8.count })
        for (locale, text) in dictionary.sorted(by: { $0.key < $1.key }) {
            append(UInt32(clamping: locale.utf8.count))
            append(UInt32(clamping: text.utf8.count))
            bytes += locale.utf8
            bytes += text.utf8
        }
    }

    var dictionary: [String: String] {
        var dictionary: [String: String] = [:]
        var rest = bytes[...]
        while rest.count >= 8 {
            let lengths = (Self.length(rest.prefix(4)), Self.length(rest.dropFirst(4).prefix(4)))
            rest = rest.dropFirst(8)
            let locale = String(decoding: rest.prefix(lengths.0), as: UTF8.self)
            rest = rest.dropFirst(lengths.0)
            dictionary[locale] = String(decoding: rest.prefix(lengths.1), as: UTF8.self)
            rest = rest.dropFirst(lengths.1)
        }
        return dictionary
    }

    private mutating func append(_ length: UInt32) {
        for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: length >> UInt32(shift))) }
    }

    private static func length(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
