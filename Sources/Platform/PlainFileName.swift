/// Names of files that need no escapes anywhere: in a path, on a command line, and as the instance of a unit (systemd.unit(5)).
public enum PlainFileName {
    /// Whether a name has only letters and digits of ASCII, dots, hyphens and underscores, no dot at its beginning, and at most
    /// so many bytes.
    public static func isValid(_ name: String, longest: Int) -> Bool {
        (1...longest).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: ".")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
