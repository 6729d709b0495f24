// Exports the types in the parameters and results of the library's calls.
@_exported import Interfaces
@_exported import Location
@_exported import NetworkPaths
