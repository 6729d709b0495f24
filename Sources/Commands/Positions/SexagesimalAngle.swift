import CommandLineKit

/// A latitude or longitude in degrees, minutes and seconds, such as `47°34'48.1"N`.
struct SexagesimalAngle {
    /// The last part that is written.
    enum Precision: Equatable {
        /// Whole minutes.
        case minutes
        /// Seconds with so many decimals.
        case seconds(Int)

        /// The precision that suits a horizontal accuracy in metres.
        ///
        /// | accuracy | the last digit | on a meridian that is |
        /// | --- | --- | --- |
        /// | below 1 m | 0.001″ | 0.03 m |
        /// | below 10 m | 0.01″ | 0.3 m |
        /// | below 100 m | 0.1″ | 3 m |
        /// | below 10 km | 1″ | 31 m |
        /// | above | 1′ | 1.9 km |
        init(within accuracy: Double) {
            self =
                switch accuracy {
                case ..<1: .seconds(3)
                case ..<10: .seconds(2)
                case ..<100: .seconds(1)
                case ..<10_000: .seconds(0)
                default: .minutes
                }
        }
    }

    /// Degrees north or east.
    let degrees: Double
    /// The letters of a positive and a negative angle.
    let letters: (positive: Character, negative: Character)

    /// A latitude.
    init(latitude degrees: Double) {
        self.degrees = degrees
        letters = ("N", "S")
    }

    /// A longitude.
    init(longitude degrees: Double) {
        self.degrees = degrees
        letters = ("E", "W")
    }

    /// The text, rounded to the precision: 59.96 seconds are the next minute and never 60.0 seconds. In ASCII the sign
    /// of degrees is `d`.
    func text(_ precision: Precision, in encoding: TextEncoding = .utf8) -> String {
        let sign = encoding == .utf8 ? "°" : "d"
        switch precision {
        case .minutes:
            let total = rounded(60)
            return "\(total / 60)\(sign)\(Self.padded(total % 60))'\(letter(total))"
        case .seconds(let decimals):
            var one = 1
            for _ in 0..<decimals { one *= 10 }
            // Rounded once, in the smallest unit that is written.
            let total = rounded(3_600 * Double(one))
            let seconds = total / one
            var text = "\(seconds / 3_600)\(sign)\(Self.padded(seconds / 60 % 60))'\(Self.padded(seconds % 60))"
            if decimals > 0 { text += ".\(Self.padded(total % one, to: decimals))" }
            return "\(text)\"\(letter(total))"
        }
    }

    /// The number of parts of a degree, of which there are so many.
    private func rounded(_ parts: Double) -> Int { Int((degrees.magnitude * parts).rounded()) }

    /// The positive letter also for a negative angle that rounds to zero.
    private func letter(_ total: Int) -> Character { degrees < 0 && total > 0 ? letters.negative : letters.positive }

    private static func padded(_ number: Int, to width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
