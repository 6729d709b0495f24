import Configuration
import Location
import Platform
import Upload

extension ValueType where Value == DestinationURL {
    /// The URL of an HTTP server or of a broker.
    static var destinationURL: Self {
        Self(
            allowed: "https://HOST/PATH or mqtts://HOST, with :PORT after HOST if it is not the default",
            parse: { text throws(ValueError) in
                do throws(DestinationURL.Fault) {
                    return try DestinationURL(parsing: text)
                } catch {
                    // The text before an @, after a ? and in a path may be a password or a token.
                    let place = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
                    throw ValueError(error.description, hidesText: place.contains { "/\\?#@".contains($0) })
                }
            },
            text: { $0.text })
    }
}

extension ValueType where Value == UploadFormat {
    /// One of the formats, by its name.
    static var uploadFormat: Self { word("format", of: UploadFormat.all) { $0.name } }
}

extension ValueType where Value == UploadConfiguration.Filter.Limit<Double> {
    /// A limit in metres, or none.
    static func filterMetres(_ range: ClosedRange<Int>) -> Self {
        .limited(by: .wholeNumber(range, of: "metres"))
    }
}

extension ValueType where Value == UploadConfiguration.Filter.Limit<Duration> {
    /// A limit of time, or none.
    static func filterDuration(_ shortest: Duration, to longest: Duration) -> Self {
        .limited(by: .duration(shortest, to: longest))
    }
}

extension ValueType {
    /// A limit of a filter: a value of this type, or `none`.
    fileprivate static func limited<Wrapped>(by type: ValueType<Wrapped>) -> Self
    where Value == UploadConfiguration.Filter.Limit<Wrapped> {
        Self(
            allowed: "none, or " + type.allowed,
            parse: { text throws(ValueError) in text == "none" ? .none : .value(try type.parse(text)) },
            text: { limit in
                switch limit {
                case .usual: ""
                case .none: "none"
                case .value(let value): type.text(value)
                }
            })
    }
}

extension ValueType where Value == String {
    /// The name of a credential, which is a file name in `$CREDENTIALS_DIRECTORY`.
    static var credentialName: Self {
        text("the name of a credential: letters, digits, ., _ and -, at most 128, not beginning with .", most: 128) {
            PlainFileName.isValid($0, longest: 128)
        }
    }

    /// A text that may be part of a topic and of a header.
    static var deviceName: Self {
        text("letters, digits, and signs but for /, + and #, at most 64 bytes", most: 64) {
            $0.unicodeScalars.allSatisfy { isPrintable($0) && !"/+#".unicodeScalars.contains($0) }
        }
    }

    /// The characters that OwnTracks shows on the map.
    static var trackerID: Self {
        text("one or two characters", most: 16) { $0.count <= 2 && $0.unicodeScalars.allSatisfy(isPrintable) }
    }

    /// A client identifier (MQTT 3.1.1 section 3.1.3.1).
    static var clientID: Self {
        text("letters, digits and signs, at most 64 bytes", most: 64) { $0.unicodeScalars.allSatisfy(isPrintable) }
    }

    /// A topic that can be published to (MQTT 3.1.1 section 4.7).
    static var topic: Self {
        text("a topic without + and #, at most 128 bytes, not beginning with $ or /", most: 128) {
            $0.first != "$" && $0.first != "/"
                && $0.unicodeScalars.allSatisfy { isPrintable($0) && !"+#".unicodeScalars.contains($0) }
        }
    }

    private static func text(
        _ allowed: String, most: Int, _ isGood: @escaping @Sendable (String) -> Bool
    ) -> Self {
        Self(
            allowed: allowed,
            parse: { text throws(ValueError) in
                guard text.utf8.count <= most else { throw ValueError("is too long") }
                guard isGood(text) else { throw ValueError("is not allowed here") }
                return text
            },
            text: { $0 })
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: false
        default: true
        }
    }
}
