/// A text of a manifest with its translations, either in memory or in a file, so that thousands of translations cost the daemon
/// no memory. `TranslatedText` is its form in messages, with all of them.
public struct LocalizedText: Equatable, Sendable {
    /// Indirect, because a manifest has several texts and is in several tables.
    private indirect enum Place: Sendable {
        case memory(String, PackedTranslations)
        /// In a file; the text itself may be in memory as well.
        case file(StoredText, text: String?)
        /// Another text, with a suffix after the text and each translation.
        case ended(LocalizedText, String)
    }

    private let place: Place

    /// A text and its translations.
    public init(_ text: String, translations: [String: String] = [:]) {
        place = .memory(text, PackedTranslations(translations))
    }

    /// The same text as `other`, whose `packed` bytes are stored. With `keepsText` the text itself remains in memory as
    /// well.
    public init(_ other: LocalizedText, stored: StoredText, keepsText: Bool) {
        place = .file(stored, text: keepsText ? other.text : nil)
    }

    /// The text in the default language. If it is stored, each use reads it again; empty if that fails.
    public var text: String {
        switch place {
        case .memory(let text, _): text
        case .file(_, let text?): text
        case .file(let stored, nil): stored.unpacked?.text ?? ""
        case .ended(let other, let ending): other.text + ending
        }
    }

    /// Translations by locale, such as `ko` or `pt_BR`. Computed at each use; empty if they cannot be read.
    public var translations: [String: String] {
        switch place {
        case .memory(_, let packed): packed.dictionary
        case .file(let stored, _): stored.unpacked?.translations.dictionary ?? [:]
        case .ended(let other, let ending): other.translations.mapValues { $0 + ending }
        }
    }

    /// Whether the text consists of spaces only.
    public var isEmpty: Bool {
        switch place {
        case .memory(let text, _): text.allSatisfy(\.isWhitespace)
        case .file(let stored, _): stored.isEmpty
        case .ended(let other, let ending): other.isEmpty && ending.allSatisfy(\.isWhitespace)
        }
    }

    /// The text in memory; nil if it is stored and cannot be read.
    public var inMemory: LocalizedText? {
        switch place {
        case .memory: self
        case .file(let stored, _): stored.unpacked.map { LocalizedText(.memory($0.text, $0.translations)) }
        case .ended(let other, let ending): other.inMemory?.ending(with: ending)
        }
    }

    /// The text with a suffix after the text and each translation.
    func ending(with ending: String) -> LocalizedText { LocalizedText(.ended(self, ending)) }

    private init(_ place: Place) { self.place = place }

    /// The encoding in which it is stored.
    public var packed: [UInt8] {
        let text: String
        let translations: PackedTranslations
        if case .memory(let held, let packed) = place {
            (text, translations) = (held, packed)
        } else {
            (text, translations) = (self.text, PackedTranslations(self.translations))
        }
        return PackedTranslations.length(of: text) + text.utf8 + translations.bytes
    }

    /// Stored texts are compared by their digests, without reading them.
    public static func == (one: LocalizedText, other: LocalizedText) -> Bool {
        switch (one.place, other.place) {
        case (.memory(let text, let translations), .memory(let otherText, let otherTranslations)):
            text == otherText && translations == otherTranslations
        case (.file(let stored, let text), .file(let otherStored, let otherText)):
            stored == otherStored && text == otherText
        case (.ended(let text, let ending), .ended(let otherText, let otherEnding)):
            text == otherText && ending == otherEnding
        default: one.text == other.text && one.translations == other.translations
        }
    }
}

/// Translations in one byte array. A manifest may have thousands of them; a dictionary would need four times as much
/// memory, and they are only needed for a prompt.
struct PackedTranslations: Equatable, Sendable {
    /// For each translation, by locale: the lengths of the locale and the text as 4 bytes each, and their UTF-8.
    private(set) var bytes: [UInt8] = []

    init(_ dictionary: [String: String]) {
        guard !dictionary.isEmpty else { return }
        bytes.reserveCapacity(dictionary.reduce(0) { $0 + 8 + $1.key.utf8.count + $1.value.utf8.count })
        for (locale, text) in dictionary.sorted(by: { $0.key < $1.key }) {
            bytes += Self.length(of: locale)
            bytes += Self.length(of: text)
            bytes += locale.utf8
            bytes += text.utf8
        }
    }

    /// Adopts bytes that were packed earlier.
    init(packed bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

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

    /// The length of a text, encoded as 4 bytes.
    static func length(of text: String) -> [UInt8] {
        let length = UInt32(clamping: text.utf8.count)
        return stride(from: 0, to: 32, by: 8).map { UInt8(truncatingIfNeeded: length >> UInt32($0)) }
    }

    /// Decodes a length from 4 bytes.
    static func length(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
