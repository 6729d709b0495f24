import Records

/// What a hub has sent where a list of pushes is expected.
enum PushList: Equatable {
    /// There is no list. The answer of a stream that has ended is empty, because the lists were in the stream.
    case missing
    /// There is no push.
    case empty
    case pushes([Push])
    /// It is no list that this version understands.
    case strange

    /// Reads what a hub has sent to a device.
    init(_ body: [UInt8], to device: AccountDevice) {
        guard !body.isEmpty else {
            self = .missing
            return
        }
        do throws(FormatError) {
            let pushes = try [Push](to: device, json: body)
            self = pushes.isEmpty ? .empty : .pushes(pushes)
        } catch {
            self = .strange
        }
    }
}
