import Interfaces
import Testing
import Varlink

@Suite struct InterfaceTextTests {
    @Test(arguments: WaymarkInterface.allCases) func `every interface's text is well formed and has its name`(
        interface: WaymarkInterface
    ) throws {
        let description = try InterfaceDescription(parsing: interface.text)
        #expect(description.name == interface.rawValue)
        #expect(!description.documentation.isEmpty)
        for method in description.methods.values {
            #expect(!method.documentation.isEmpty, "\(method.name) says nothing about itself")
        }
    }

    @Test func `the names in the code are the names in the texts`() throws {
        let coded =
            LocationMethod.allCases.map(\.rawValue) + ManageMethod.allCases.map(\.rawValue)
            + JournalMethod.allCases.map(\.rawValue) + AgentMethod.allCases.map(\.rawValue)
            + ReachabilityMethod.allCases.map(\.rawValue) + RecordingMethod.allCases.map(\.rawValue)
            + UploadsMethod.allCases.map(\.rawValue)
        var written: Set<String> = []
        var errors: Set<String> = []
        for interface in WaymarkInterface.allCases {
            let description = try InterfaceDescription(parsing: interface.text)
            written.formUnion(description.methods.keys.map { "\(description.name).\($0)" })
            errors.formUnion(description.errors.keys.map { "\(description.name).\($0)" })
        }
        #expect(Set(coded) == written)
        #expect(Set(ErrorName.allCases.map(\.rawValue)) == errors)
    }

    @Test func `every error carries a message`() throws {
        for interface in WaymarkInterface.allCases {
            for (name, fields) in try InterfaceDescription(parsing: interface.text).errors {
                #expect(fields.contains { $0.name == "message" }, "\(name) has no message")
            }
        }
    }
}
