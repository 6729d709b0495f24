/// The encodings in which a latitude or longitude could be in a file or in memory, for tests that look for coordinates where
/// none may be. No other bytes are likely to be the same.
public enum CoordinateEncodings {
    /// The encodings of a number of degrees: as a `Double` and in fixed point, of both byte orders; as in a stored payload; as text
    /// down to a tenth of a metre.
    public static func all(of degrees: Double) -> [[UInt8]] {
        var all: [[UInt8]] = []
        withUnsafeBytes(of: degrees.bitPattern.littleEndian) { all.append(Array($0)) }
        withUnsafeBytes(of: degrees.bitPattern.bigEndian) { all.append(Array($0)) }
        for scale in [1e7, 1e8, 1e9] {
            let fixed = Int64((degrees * scale).rounded())
            withUnsafeBytes(of: fixed.littleEndian) { all.append(Array($0.prefix(5))) }
            withUnsafeBytes(of: fixed.bigEndian) { all.append(Array($0.suffix(5))) }
            // As in a stored payload: zigzag, seven bits a byte.
            var rest = UInt64(bitPattern: fixed << 1 ^ fixed >> 63)
            var bytes: [UInt8] = []
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            all.append(bytes + [UInt8(rest)])
        }
        let text = "\(degrees)"
        return text.utf8.count >= 8 ? all + [Array(text.utf8.prefix(9))] : all
    }
}
