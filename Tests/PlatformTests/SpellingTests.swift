import Platform
import Testing

@Suite struct SpellingTests {
    @Test(
        arguments: [
            ("GPDS", "GPSD"), ("gpsd", "GPSD"), ("StaleAftr", "StaleAfter"), ("stale", "StaleAfter"),
            ("St", "StaleAfter"), ("S", nil),
            ("Foo", nil), ("", nil),
            (String(repeating: "GPSD", count: 50), nil),
        ] as [(String, String?)])
    func `a misspelt name finds the name that was meant`(typed: String, meant: String?) {
        #expect(Spelling.nearest(to: typed, among: ["GPSD", "Simulated", "StaleAfter", "ReleaseAfter"]) == meant)
    }
}
