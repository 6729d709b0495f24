// A program that imports the library needs the words its calls take and give.
@_exported import Interfaces
@_exported import Location
@_exported import NetworkPaths
