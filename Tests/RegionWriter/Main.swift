import Glibc
import RegionScript
import TestSupport

/// Does the operations of a script with a store of regions, and writes the number of each one that was acknowledged to a
/// file in the same directory: waymark-region-writer DIRECTORY SEED FIRST COUNT SEALED.
/// From the operation with the number SEALED on, the store is sealed.
@main struct RegionWriterProgram {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let seed = UInt64(arguments[2]), let first = Int(arguments[3]),
            let count = Int(arguments[4]), let sealed = Int(arguments[5])
        else {
            print("usage: waymark-region-writer DIRECTORY SEED FIRST COUNT SEALED")
            exit(2)
        }
        let directory = arguments[1]
        let acknowledged = try AcknowledgedNumbers(in: directory)
        let store = try ScriptedStore(directory, isSealed: first > sealed || ScriptedStore.isSealed(directory))
        var model = RegionModel()
        for number in 0..<count {
            let operation = RegionOperation.next(number, of: seed, after: model)
            model.apply(operation)
            if number < first { continue }
            if number == sealed { try store.seal() }
            try await store.perform(operation)
            try acknowledged.append(number)
        }
        try await store.close()
    }
}
