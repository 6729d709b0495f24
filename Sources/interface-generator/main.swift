import Glibc
import InterfaceGenerator
import Platform

// interface-generator FILE: prints the Swift types of the interface in the file.
// interface-generator --errors FILE...: prints the names of all errors of these interfaces.

/// The limit for the size of an interface's text, in bytes.
let longestText = 1 << 20

func text(of path: String) throws -> String {
    String(decoding: try BoundedFile.bytes(of: path, limit: longestText), as: UTF8.self)
}

var arguments = CommandLine.arguments.dropFirst()
do {
    if arguments.first == "--errors" {
        let texts = try arguments.dropFirst().map(text)
        print(try InterfaceGenerator.errorNames(of: texts), terminator: "")
    } else if let path = arguments.first, arguments.count == 1 {
        print(try InterfaceGenerator(text(of: path)).text(importing: ["Location", "NetworkPaths"]), terminator: "")
    } else {
        print("usage: interface-generator FILE, or interface-generator --errors FILE...")
        exit(2)
    }
} catch {
    print("interface-generator: \(arguments.last ?? ""): \(error)")
    exit(1)
}
