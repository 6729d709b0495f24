import CommandLineKit
import GeoJSON
import Interfaces
import Location
import RegionCalls
import Regions

/// `waymark regions add`.
struct RegionAdding {
    let session: Session

    init(_ session: Session) { self.session = session }

    func add() throws(CommandFailure) {
        let name = session.invocation.argument("NAME") ?? ""
        guard let target = RegionTarget(session) else { return }
        guard RegionTarget.isMonitorName(target.monitor) else {
            let advice =
                target.region == nil ? " A region with another name needs --monitor, such as --monitor places." : ""
            throw usage("The name of a monitor is 1 to 128 letters, digits, dots, hyphens and underscores.\(advice)")
        }
        guard FeatureRegion.isIdentifier(name) else {
            throw usage("The name of a region is 1 to 128 bytes long and without control characters.")
        }
        let shape = try shape()
        do throws(RegionError) { _ = try Region(shape) } catch {
            throw .failed("InvalidRegion", "\(name) was not added: \(error).")
        }
        let request = RegionsInterface.Add(
            monitor: target.monitor,
            regions: [
                RegionsInterface.Region(
                    identifier: name, shape: shape, dwell: RegionTime.given("dwell", session),
                    loitering: RegionTime.given("loitering", session))
            ])
        let reply = try session.daemon.call(request, waiting: 60)
        if session.isJSON { return try session.print(json: reply.bytes) }
        let place = target.region == nil ? "" : " in the monitor \(target.monitor)"
        try session.print(sentence: "\(name)\(place) was \(reply.replaced > 0 ? "replaced" : "added").")
        session.remarks.hint(RegionAdvice.afterAdding(target))
    }

    private func usage(_ message: String) -> CommandFailure { .usage(message, command: "regions add") }

    /// The shape that the options describe.
    private func shape() throws(CommandFailure) -> Region.Shape {
        let given = ["circle", "polygon", "corridor"].filter(session.invocation.isGiven)
        guard given.count == 1, let option = given.first, let text = session.invocation.text(option) else {
            throw usage("One of --circle, --polygon and --corridor is needed.")
        }
        switch option {
        case "circle":
            do throws(RegionTextError) { return try RegionShapeText.circle(text) } catch { throw usage(error.message) }
        case "polygon":
            let shape = try shape(inFile: text, FeatureRegion.Defaults(width: 2))
            guard case .polygon = shape else {
                throw .failed(
                    "InvalidFile", "\(text) has to contain a Polygon. `waymark regions import` also reads others.")
            }
            return shape
        default:
            let corridor: (file: String, width: Double)
            do throws(RegionTextError) { corridor = try RegionShapeText.corridor(text) } catch {
                throw usage(error.message)
            }
            let shape = try shape(inFile: corridor.file, FeatureRegion.Defaults(width: corridor.width))
            guard case .corridor(let line, _) = shape else {
                throw .failed(
                    "InvalidFile",
                    "\(corridor.file) has to contain a LineString. `waymark regions import` also reads others.")
            }
            // The width on the command line counts, whatever the file says.
            return .corridor(line: line, halfWidth: corridor.width / 2)
        }
    }

    /// The only region in a file.
    private func shape(inFile path: String, _ defaults: FeatureRegion.Defaults) throws(CommandFailure) -> Region.Shape {
        var shapes: [Region.Shape] = []
        let file = try RegionFile(path, try session.interruption())
        var defaults = defaults
        defaults.radius = 1
        try file.forEach(defaults, named: "it") { (region, _) throws(CommandFailure) in
            shapes.append(region.shape)
            guard shapes.count == 1 else {
                throw .failed(
                    "InvalidFile",
                    "\(file.name) contains more than one region: `waymark regions import` adds all of them.")
            }
        }
        guard let shape = shapes.first else { throw .failed("InvalidFile", "\(file.name) contains no region.") }
        return shape
    }
}
