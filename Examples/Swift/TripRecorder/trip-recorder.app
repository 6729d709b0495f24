# /etc/waymark/apps/trip-recorder.app
[App]
Name=Trip Recorder
Unit=trip-recorder.service
AlwaysInUse=yes
Record=yes
WhenInUseUsageDescription=Writes the route of the vehicle to a file.
AlwaysAndWhenInUseUsageDescription=Writes the route of the vehicle to a file.
