import Platform
import Testing

@Suite struct VisibleTextTests {
    @Test(arguments: [
        "Trail Map", "등산 지도", "خرائط الطريق", "می‌خواهم", "हिन्दी नक्शा", "क्‍ष", "র‍্যাম", "ශ්‍රී ලංකා", "แผนที่เดินป่า",
        "葛\u{E0100}城市", "עִבְרִית", "Bản đồ đường mòn", "Cafe\u{301}", "👩‍👩‍👧‍👦 Family", "🏳️‍🌈", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 Walks", "🧑🏽‍🚀",
        "1️⃣ First", "❤️‍🔥", "🇰🇷", "L’été, déjà\u{202F}!", "⠓⠑⠇⠇⠕", "地図\u{3000}案内", "\u{600}١٢", "",
        "a\tb".filter { $0 != "\t" },
    ]) func `ordinary names of many scripts have no fault`(text: String) throws {
        let found = VisibleText.firstFault(in: text)
        #expect(found == nil, "\(String(describing: found))")
    }

    @Test(
        arguments: [
            ("a\u{3164}b", .invisible), ("\u{115F}", .invisible), ("\u{FFA0}", .invisible), ("\u{2800}", .invisible),
            ("a\u{E0041}\u{E007F}", .invisible), ("🏴\u{E0078}\u{E0078}\u{E007F}", .invisible),
            ("a\u{200B}b", .invisible),
            ("a\u{200D}b", .invisible), ("a\u{200C}b", .invisible), ("a\u{FE0F}", .invisible), ("a\u{AD}b", .invisible),
            ("a\u{34F}b", .invisible), ("\u{FEFF}a", .invisible), ("a\u{2060}b", .invisible), ("\u{FFFC}", .invisible),
            ("a\u{FFF9}b", .invisible), ("葛\u{E0100}\u{E0101}", .invisible), ("a\u{180E}b", .invisible),
            ("a\u{202E}b", .direction), ("a\u{2066}b", .direction), ("a\u{200F}b", .direction),
            ("a\u{61C}b", .direction),
            ("\u{E000}", .undefined), ("\u{10FFFD}", .undefined), ("\u{378}", .undefined),
            ("\u{149}", .undefined), ("a\u{7}b", .control), ("a\nb", .control), ("a\u{2028}b", .control),
            ("a\u{301}\u{301}", .mark), ("\u{301}a", .mark), ("a \u{301}", .mark),
            ("a\u{300}\u{301}\u{302}\u{303}\u{304}", .mark),
        ] as [(String, VisibleText.Fault)])
    func `what a person cannot see has a fault`(text: String, fault: VisibleText.Fault) {
        #expect(VisibleText.firstFault(in: text)?.fault == fault)
    }

    @Test(arguments: [0xFDD0, 0xFFFF, 0x1FFFE] as [UInt32])
    func `a noncharacter has a fault`(number: UInt32) throws {
        let text = String(Character(try #require(Unicode.Scalar(number))))
        #expect(VisibleText.firstFault(in: text)?.fault == .undefined)
    }

    @Test func `a letter below nine hundred accents has a fault for each but a few`() {
        let marks = (0..<900).map { Unicode.Scalar(0x300 + UInt32($0 % 0x30)) }.compactMap { $0 }
        var text = "a"
        text.unicodeScalars.append(contentsOf: marks)
        var faults = 0
        VisibleText.visit(text) { _, fault in if fault == .mark { faults += 1 } }
        #expect(faults == 896)
    }

    @Test(arguments: [
        ("Map", true), ("🧭", true), ("지도", true), ("...", false), ("  ", false), ("\u{3164}", false), ("", false),
    ])
    func `something has to be seen of a name`(text: String, isSeen: Bool) {
        #expect(VisibleText.isAnythingSeen(of: text) == isSeen)
    }
}
