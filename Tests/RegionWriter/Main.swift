import Glibc
import RegionScript
import TestSupport

/// Does the operations of a script with a store of regions, and writes the number of each one that was acknowledged to a
/// file in the same directory: waymark-region-writer DIRECTORY SEED FIRST COUNT SEALED UNSEALED.
/// From the operation with the number SEALED on, the store is sealed, and from UNSEALED on it is plain again.
@main struct RegionWriterProgram {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 7, let seed = UInt64(arguments[2]), let first = Int(arguments[3]),
            let count = Int(arguments[4]), let sealed = Int(arguments[5]), let unsealed = Int(arguments[6])
        else {
            print("usage: waymark-region-writer DIRECTORY SEED FIRST COUNT SEALED UNSEALED")
            exit(2)
        }
        let directory = arguments[1]
        let acknowledged = try AcknowledgedNumbers(in: directory)
        let isSealed = ScriptedStore.isSealed(directory)
        let store = try ScriptedStore(directory, isSealed: first > sealed && first <= unsealed || isSealed)
        if first > unsealed, isSealed { try store.unseal() }
        var model = RegionModel()
        for number in 0..<count {
            let operation = RegionOperation.next(number, of: seed, after: model)
            model.apply(operation)
            if number < first { continue }
            if number == sealed { try store.seal() }
            if number == unsealed { try store.unseal() }
            try await store.perform(operation)
            try acknowledged.append(number)
        }
        try await store.close()
    }
}
