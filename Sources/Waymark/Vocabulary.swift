// Exports the types in the parameters and results of the library's calls.
@_exported import Interfaces
@_exported import Location
@_exported import NetworkPaths

/// The app's kind of movement: `ActivityType` of `io.waymark.Location`.
public typealias ActivityType = LocationInterface.ActivityType
