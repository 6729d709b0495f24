import CINI

/// One statement of a file in INI form.
enum INIStatement: Equatable {
    /// `[NAME]`.
    case section(String)
    /// `KEY=VALUE`, with the name of its section, which is empty before the first section.
    case setting(section: String, key: String, value: String)
    /// A line without meaning, and the reason.
    case malformed(String)
}

/// Reads the INI form with inih, one line at a time, so that the line of every statement is known.
///
/// inih can be built with many options, and reports the line of the first error only. Therefore it gets its lines from
/// a reader that removes everything on which the options differ: white space at a line's ends, comments, the byte order
/// mark of UTF-8, `:` as a separator, comments after a value, and lines longer than its buffer. A line for which inih
/// calls no handler is malformed.
final class INIScanner {
    private let bytes: [UInt8]
    private let handler: (Int, INIStatement) -> Void
    private var position = 0
    private var line = 0
    /// Whether inih has received a line and not called a handler for it yet.
    private var isAwaitingSetting = false

    /// Calls the handler for every statement of the file, in order.
    static func scan(_ bytes: [UInt8], handler: (Int, INIStatement) -> Void) {
        withoutActuallyEscaping(handler) { handler in
            INIScanner(bytes, handler: handler).run()
        }
    }

    private init(_ bytes: [UInt8], handler: @escaping (Int, INIStatement) -> Void) {
        self.bytes = bytes
        self.handler = handler
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// ini_parse_stream of inih.
    private func run() {
        // The context is valid for the duration of the call, and inih uses it no longer.
        let context = Unmanaged.passUnretained(self).toOpaque()
        let status = ini_parse_stream(
            { buffer, size, context in
                guard let buffer, let context else { return nil }
                let scanner = Unmanaged<INIScanner>.fromOpaque(context).takeUnretainedValue()
                return scanner.fill(UnsafeMutableBufferPointer(start: buffer, count: Int(size))) ? buffer : nil
            }, context,
            { context, section, key, value in
                // Some builds of inih call the handler for a section, without a key.
                guard let context, let section, let key, let value else { return 1 }
                Unmanaged<INIScanner>.fromOpaque(context).takeUnretainedValue()
                    .found(String(cString: section), String(cString: key), String(cString: value))
                return 1
            }, context)
        if status < 0 { handler(line, .malformed("there is not enough memory to read on")) }
    }

    private func found(_ section: String, _ key: String, _ value: String) {
        isAwaitingSetting = false
        guard !key.isEmpty else { return handler(line, .malformed("there is no key before the =")) }
        handler(line, .setting(section: section, key: key, value: value))
    }

    /// Passes the next relevant line to inih; returns false at the end.
    private func fill(_ buffer: UnsafeMutableBufferPointer<CChar>) -> Bool {
        settle()
        while let text = nextLine() {
            guard let first = text.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else { continue }
            // inih needs three bytes more than the longest line.
            if let complaint = Self.complaint(about: text, maximumBytes: buffer.count - 3) {
                handler(line, .malformed(complaint))
                if first == UInt8(ascii: "[") { skipSection() }
                continue
            }
            for (index, byte) in text.enumerated() { buffer[index] = CChar(bitPattern: byte) }
            buffer[text.count] = 0
            if first == UInt8(ascii: "[") {
                handler(line, .section(String(decoding: text.dropFirst().dropLast(), as: UTF8.self)))
            } else {
                isAwaitingSetting = true
            }
            return true
        }
        return false
    }

    /// Reports the last line as malformed if inih called no handler for it.
    private func settle() {
        guard isAwaitingSetting else { return }
        isAwaitingSetting = false
        handler(line, .malformed("this is neither KEY=VALUE nor [SECTION] nor a comment"))
    }

    /// Skips the settings of a section whose name is unknown; inih would attribute them to another section.
    private func skipSection() {
        while true {
            let (before, lineBefore) = (position, line)
            guard let text = nextLine() else { return }
            if text.first == UInt8(ascii: "[") {
                (position, line) = (before, lineBefore)
                return
            }
        }
    }

    /// The next line without white space at its ends; nil at the end.
    private func nextLine() -> ArraySlice<UInt8>? {
        guard position < bytes.count else { return nil }
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        var text = bytes[position..<end]
        position = end + 1
        line += 1
        while let first = text.first, Self.isSpace(first) { text.removeFirst() }
        while let last = text.last, Self.isSpace(last) { text.removeLast() }
        return text
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    /// A fault of a line that readers of this form treat differently.
    private static func complaint(about text: ArraySlice<UInt8>, maximumBytes: Int) -> String? {
        if text.contains(where: { ($0 < 0x20 && $0 != UInt8(ascii: "\t")) || $0 == 0x7F }) {
            return "there is a control character in this line"
        }
        guard text.count <= maximumBytes else {
            return "the line has \(text.count) bytes; \(maximumBytes) are allowed (comments may be longer)"
        }
        let hasLateComment = zip(text, text.dropFirst()).contains { before, byte in
            isSpace(before) && (byte == UInt8(ascii: ";") || byte == UInt8(ascii: "#"))
        }
        if hasLateComment { return "a comment does not end a line with something else. Give it a line of its own" }
        if text.first == UInt8(ascii: "[") {
            guard text.firstIndex(of: UInt8(ascii: "]")) == text.endIndex - 1, text.count > 2 else {
                return "a section is [NAME] and nothing else on its line"
            }
        } else if let separator = text.first(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }),
            separator == UInt8(ascii: ":")
        {
            return "a colon does not separate a key from its value. Write KEY=VALUE"
        }
        return nil
    }
}
