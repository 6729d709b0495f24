import HTTPServing
import Records

/// The change tag of a record as the web has it: an ETag, RFC 9110 section 8.8.3.
struct EntityTag {
    let tag: ChangeTag

    init(_ tag: ChangeTag) { self.tag = tag }

    /// The tag of a header with one strong tag; nil for anything else.
    init?(header: String) {
        let text = header.trimmed
        guard text.count > 2, text.hasPrefix("\""), text.hasSuffix("\""),
            let tag = ChangeTag(String(text.dropFirst().dropLast()))
        else { return nil }
        self.tag = tag
    }

    /// The header of a response.
    var header: HTTPReply.Header { HTTPReply.Header("ETag", "\"\(tag.text)\"") }

    /// Whether the tag is one of those in `If-None-Match`, which are compared weakly: `W/` in front of a tag is ignored.
    func isListed(in header: String?) -> Bool {
        guard let header else { return false }
        return header.split(separator: ",").contains { part in
            let text = String(part).trimmed
            return text == "*" || EntityTag(header: text.hasPrefix("W/") ? String(text.dropFirst(2)) : text)?.tag == tag
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
