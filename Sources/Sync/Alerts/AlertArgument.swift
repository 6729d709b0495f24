import Glibc
import Location
import Platform
import Records

/// The value of a field as a person reads it in an alert: short, on one line, without characters that change how others look.
enum AlertArgument {
    /// The longest text, in characters.
    static let longest = 200
    /// Stands for a value that cannot be shown in words, or that this machine cannot open.
    static let hidden = "…"

    /// The text of a value; empty for none.
    static func text(_ value: FieldValue?) -> String {
        switch value {
        case nil: ""
        case .string(let text): plain(text)
        case .integer(let number): "\(number)"
        case .double(let number): "\(number.value)"
        case .date(let time): local(time)
        case .list(let list): plain(list.values.prefix(longest).map { text($0) }.joined(separator: ", "))
        case .encrypted(let value): text(value.value)
        // A place is not for everybody who sees the screen, and nobody reads the others.
        case .bytes, .location, .reference, .asset, .sealed: hidden
        }
    }

    private static func plain(_ text: String) -> String {
        var visible = ""
        // Only what can be shown is examined.
        VisibleText.visit(String(text.unicodeScalars.prefix(4 * longest))) { scalar, fault in
            visible.unicodeScalars.append(fault == nil ? scalar : " ")
        }
        let words = visible.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.count > longest ? words.prefix(longest - 1) + hidden : words
    }

    /// Date and time of day of this machine's time zone, localtime_r(3).
    private static func local(_ time: UTCTime) -> String {
        var seconds = time_t(time.secondsSinceEpoch.rounded(.down))
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return hidden }
        let shown = UTCTime(microseconds: time.microseconds + Int64(parts.tm_gmtoff) * 1_000_000)
        return String(shown.iso8601(fraction: 0).prefix(16)).replacing("T", with: " ")
    }
}
