import Regions

/// States and kinds as the numbers that are stored; a number is never given another meaning.
enum StateCode {
    /// The state of which no row is in the index of those that are offered wherever the machine is.
    static let outside: Int64 = 0
    static let inside: Int64 = 1
    /// The first of the reasons why a state is unknown.
    static let unknown: Int64 = 2

    /// The number of a state.
    static func code(_ state: RegionState) -> Int64 {
        switch state {
        case .outside: outside
        case .inside: inside
        case .unknown(.undetermined): unknown
        case .unknown(.insufficientAccuracy): 3
        case .unknown(.fixLost): 4
        case .unknown(.receiverLost): 5
        case .unknown(.unauthorized): 6
        }
    }

    /// The state of a number; nil if it is none.
    static func state(_ code: Int64) -> RegionState? {
        switch code {
        case outside: .outside
        case inside: .inside
        case unknown: .unknown(.undetermined)
        case 3: .unknown(.insufficientAccuracy)
        case 4: .unknown(.fixLost)
        case 5: .unknown(.receiverLost)
        case 6: .unknown(.unauthorized)
        default: nil
        }
    }
}

extension StoredRegionEvent.Kind {
    /// The numbers of a kind and of its state; an overflow is never stored.
    var codes: (kind: Int64, detail: Int64?) {
        switch self {
        case .determined(let state): (1, StateCode.code(state))
        case .entered: (2, nil)
        case .left: (3, nil)
        case .loitered: (4, nil)
        case .unknown(let doubt): (5, StateCode.code(.unknown(doubt)))
        case .overflowed: (6, nil)
        }
    }

    /// The kind of these numbers; nil if they are none.
    init?(kind: Int64, detail: Int64?) {
        let state = detail.flatMap(StateCode.state)
        switch (kind, state) {
        case (1, let state?): self = .determined(state)
        case (2, nil): self = .entered
        case (3, nil): self = .left
        case (4, nil): self = .loitered
        case (5, .unknown(let doubt)): self = .unknown(doubt)
        default: return nil
        }
    }
}
