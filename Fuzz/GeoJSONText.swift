import JSONText
import Location
import Regions

// Feeds bytes to the parser of GeoJSON. Compiled together with Sources/GeoJSON.

/// libFuzzer's entry: a byte for the size of the pieces in which the rest arrives.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let text = Array(input.dropFirst())
    let whole = read(text, piece: max(1, text.count))
    precondition(whole == read(text, piece: Int(first) + 1), "the size of the pieces is of no importance")
    guard let whole else { return 0 }
    do throws(JSONError) {
        // A number beyond the range of a double may be in a property that is ignored.
        _ = try JSON.parse(text, maximumDepth: 66, maximumValues: 1 << 20)
    } catch {
        let isBeyond = error.reason == .numberOutOfRange || error.reason == .tooDeep
        let hasMark = text.starts(with: [0xEF, 0xBB, 0xBF])
        precondition(isBeyond || hasMark, "only JSON is read")
    }
    precondition(whole.allSatisfy { FeatureRegion.isIdentifier($0.identifier) }, "each region has an identifier")
    return 0
}

private func read(_ text: [UInt8], piece: Int) -> [FeatureRegion]? {
    let defaults = FeatureRegion.Defaults(radius: 10, width: 10)
    var splitter = FeatureSplitter()
    var regions: [FeatureRegion] = []
    do throws(GeoJSONError) {
        var number = 0
        for start in stride(from: 0, to: text.count, by: piece) {
            for feature in try splitter.append(text[start..<min(start + piece, text.count)]) {
                number += 1
                regions += try GeoJSONFeature(feature, number: number).regions(number: number, defaults)
            }
        }
        if let rest = try splitter.finish() {
            regions += try GeoJSONFeature(rest, number: nil).regions(number: 1, named: "rest", defaults)
        }
    } catch {
        precondition(!error.description.isEmpty, "an error has a sentence")
        return nil
    }
    for region in regions {
        do throws(GeoJSONError) { _ = try region.validated() } catch {
            precondition(error.feature == region.feature, "an error names its feature")
        }
    }
    return regions
}
