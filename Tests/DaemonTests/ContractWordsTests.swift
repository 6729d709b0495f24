import Events
import Interfaces
import Location
import Testing

@testable import Daemon

/// The open sets of words in the interfaces' texts list the words that the daemon uses.
@Suite struct ContractWordsTests {
    @Test func `every state of a recording is in the contract`() {
        #expect(RecordingInterface.State.known.map(\.rawValue) == RecordingState.allCases.map(\.rawValue))
    }

    @Test func `every diagnostic and every reason for a missing position is in the contract`() {
        let words = Diagnostic.allCases.map(\.rawValue) + PositionUnavailable.allCases.map(\.rawValue)
        #expect(LocationDiagnostic.known.map(\.rawValue) == words)
    }

    @Test func `every kind of event is in the contract`() {
        #expect(JournalInterface.EventKind.known.map(\.rawValue) == EventKind.allCases.map(\.rawValue))
    }
}
