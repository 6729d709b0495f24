import Regions
import Storage

// Feeds bytes to the parser of the payloads of stored regions. Compiled together with that part of Sources/RegionStorage.

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    do throws(PayloadError) {
        let content = try RegionPayload.decode(input)
        precondition(content.dwell >= 0 && content.loitering ?? 0 >= 0, "a time is no negative number")
        let bytes = RegionPayload.bytes(content.region, dwell: content.dwell, loitering: content.loitering)
        bytes.withUnsafeBytes { bytes in
            do throws(PayloadError) {
                let again = try RegionPayload.decode(bytes)
                precondition(again == content, "an encoded region is decoded as the same region")
            } catch {
                preconditionFailure("an encoded region can be decoded: \(error)")
            }
        }
    } catch {
        precondition(count < 1 << 20, "invalid bytes are refused with an error")
    }
    return 0
}
