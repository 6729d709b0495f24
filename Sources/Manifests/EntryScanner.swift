/// A line of a file in the format of desktop entries, except blank lines and comments.
enum Entry: Equatable {
    /// `[NAME]`.
    case section(String)
    /// `KEY=VALUE` or `KEY[LOCALE]=VALUE`.
    case value(key: String, locale: String?, text: String)
    /// An invalid line, with the error.
    case malformed(String)
}

/// Scans the format of desktop entries: sections, keys with optional locales, and comments on lines of their own.
///
/// The daemon's settings are read with inih. That library splits lines at 200 bytes (about 60 Korean letters) and
/// removes ` ;` with everything after it, which French sentences contain. It is not used here because the values are
/// sentences.
struct EntryScanner {
    /// Longer than any useful line.
    static let maximumLineBytes = 8_192

    /// Calls the body for each entry, with its line number from 1.
    static func scan(_ bytes: [UInt8], _ body: (Int, Entry) -> Void) {
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var number = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            number += 1
            if let entry = entry(of: trimmed(bytes[start..<end])) { body(number, entry) }
            start = end + 1
        }
    }

    private static func entry(of line: ArraySlice<UInt8>) -> Entry? {
        guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else { return nil }
        guard line.count <= maximumLineBytes else {
            return .malformed("the line has \(line.count) bytes; \(maximumLineBytes) are allowed")
        }
        if first == UInt8(ascii: "[") {
            guard line.count > 2, line.firstIndex(of: UInt8(ascii: "]")) == line.endIndex - 1 else {
                return .malformed("a section is [NAME] and nothing else on its line")
            }
            guard let name = String(validating: line.dropFirst().dropLast(), as: UTF8.self) else { return notText }
            return .section(name)
        }
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
            return .malformed("this is neither KEY=VALUE nor [SECTION] nor a comment")
        }
        return value(key: trimmed(line[..<equals]), text: trimmed(line[(equals + 1)...]))
    }

    private static func value(key: ArraySlice<UInt8>, text: ArraySlice<UInt8>) -> Entry {
        guard !key.isEmpty else { return .malformed("there is no key before the =") }
        guard let text = String(validating: text, as: UTF8.self) else { return notText }
        guard let bracket = key.firstIndex(of: UInt8(ascii: "[")) else {
            guard let name = String(validating: key, as: UTF8.self) else { return notText }
            return .value(key: name, locale: nil, text: text)
        }
        guard let name = String(validating: key[..<bracket], as: UTF8.self), !name.isEmpty,
            let locale = String(validating: key[(bracket + 1)...].dropLast(), as: UTF8.self),
            key.last == UInt8(ascii: "]"), isLocale(locale)
        else { return .malformed("a key with a locale is KEY[LOCALE], such as Name[ko] or Name[pt_BR]") }
        return .value(key: name, locale: locale, text: text)
    }

    private static let notText = Entry.malformed("there is a byte that is not UTF-8. Save the file as UTF-8")

    /// Whether it is `lang_COUNTRY@MODIFIER` with the last two optional: letters and digits, beginning with a letter.
    private static func isLocale(_ text: String) -> Bool {
        guard (2...32).contains(text.utf8.count), let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { byte in
            isLetter(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "@")
                || byte == UInt8(ascii: "-")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
        }
        var (start, end) = (bytes.startIndex, bytes.endIndex)
        while start < end, isSpace(bytes[start]) { start += 1 }
        while end > start, isSpace(bytes[end - 1]) { end -= 1 }
        return bytes[start..<end]
    }
}
