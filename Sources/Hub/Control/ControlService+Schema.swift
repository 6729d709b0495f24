import Containers
import Interfaces
import JSONText
import Platform
import Records
import Varlink

extension ControlService {
    func getSchema(_ call: MethodCall<HubInterface.GetSchema>) throws(HubInterface.Failure) {
        let name = try Self.container(call.parameters.container)
        let environment: ContainerEnvironment =
            call.parameters.environment == .development ? .development : .production
        hub.queue.submit(.schema(Container(name, environment))) { [call = call.later] result in
            guard case .schema(let schema) = result else { return call.fail(.init(result)) }
            do throws(JSONError) {
                call.reply(.init(schema: try JSON.parse(schema.json)))
            } catch {
                call.fail(.notStored(message: "The schema cannot be shown: \(error)."))
            }
        }
    }

    func compareSchemas(_ call: MethodCall<HubInterface.CompareSchemas>) throws(HubInterface.Failure) {
        let name = try Self.container(call.parameters.container)
        hub.queue.submit(.schema(Container(name, .production))) { [hub, call = call.later] result in
            guard case .schema(let production) = result else { return call.fail(.init(result)) }
            hub.queue.submit(.schema(Container(name, .development))) { result in
                guard case .schema(let development) = result else { return call.fail(.init(result)) }
                call.reply(.init(differences: production.differences(to: development).map { .init($0) }))
            }
        }
    }

    func replaceSchema(_ call: MethodCall<HubInterface.ReplaceSchema>) throws(HubInterface.Failure) {
        let name = try Self.container(call.parameters.container)
        var writer = JSONWriter()
        call.parameters.schema.write(to: &writer)
        let schema: Schema
        do throws(FormatError) {
            schema = try Schema(json: writer.bytes)
        } catch {
            throw .invalidArgument(message: "The schema was not understood: \(error).")
        }
        hub.queue.submit(.replaceSchema(name, schema)) { [hub, call = call.later] result in
            switch Self.changed(result) {
            case .failure(let failure): call.fail(failure)
            case .success(let differences):
                hub.note(.schemaReplaced(name, differences, by: .administrator))
                call.reply(.init(differences: differences.map { .init($0) }))
            }
        }
    }

    func deploySchema(_ call: MethodCall<HubInterface.DeploySchema>) throws(HubInterface.Failure) {
        let name = try Self.container(call.parameters.container)
        let task = HubTask.deploySchema(name, changingRoles: call.parameters.changeRoles ?? false)
        hub.queue.submit(task) { [hub, call = call.later] result in
            switch Self.changed(result) {
            case .failure(let failure): call.fail(failure)
            case .success(let differences):
                hub.note(.schemaDeployed(name, differences, by: .administrator))
                call.reply(.init(differences: differences.map { .init($0) }))
            }
        }
    }

    private static func changed(_ result: HubResult) -> Result<[SchemaDifference], HubInterface.Failure> {
        guard case .schemaChange(let change) = result else { return .failure(.init(result)) }
        return change.mapError { .init($0) }
    }

    static func container(_ text: String) throws(HubInterface.Failure) -> ContainerName {
        guard let name = ContainerName(text) else {
            throw .invalidArgument(message: "\"\(text)\" is no name of a container: \(nameRule)")
        }
        return name
    }
}

extension HubInterface.SchemaDifference {
    fileprivate init(_ difference: SchemaDifference) {
        self.init(text: difference.description, addition: difference.isAddition)
    }
}

extension HubInterface.Failure {
    fileprivate init(_ refusal: SchemaRefusal) {
        self =
            switch refusal {
            case .limitExceeded(let subject, let most):
                .invalidArgument(message: "A schema has at most \(most) \(subject.rawValue).")
            case .notAdditions(let differences):
                .schemaConflict(
                    message: HubError.conflict(differences), differences: differences.map { .init($0) })
            // The administrator may do everything.
            case .notPermitted: .invalidArgument(message: "The hub has refused this.")
            }
    }
}
