import CWaymark
import Interfaces
import Synchronization

/// The texts that functions return and programs do not free.
final class StaticTexts: Sendable {
    static let shared = StaticTexts()

    private struct Text: @unchecked Sendable {
        // Written once, before the text is shared, and never freed.
        let pointer: UnsafePointer<CChar>

        init(_ text: String) { pointer = UnsafePointer(CText.copy(text)) }
    }

    private let release = Text(WaymarkVersion.text)
    private let nothing = Text("")
    private let messages = Mutex<[Int32: Text]>([:])

    /// The release of the library.
    var version: UnsafePointer<CChar> { release.pointer }

    /// No text.
    var empty: UnsafePointer<CChar> { nothing.pointer }

    /// The sentence about an error. Numbers without a sentence of their own share one, so that their number is bounded.
    func text(of error: Int32) -> UnsafePointer<CChar> {
        let isKnown = error > -4_096 && error <= 0 || (-10_100 ... -10_000).contains(error)
        let key = error > 0 ? 0 : isKnown ? error : Int32.min
        return messages.withLock { messages in
            if let text = messages[key] { return text.pointer }
            let text = Text(ErrorCode.message(key))
            messages[key] = text
            return text.pointer
        }
    }
}
