# /etc/waymark/apps/geofence.app
[App]
Name=Geofence
Unit=geofence.service
WhenInUseUsageDescription=Opens the gate when the vehicle comes to the yard.
AlwaysAndWhenInUseUsageDescription=Opens the gate when the vehicle comes to the yard.

[Wake]
Unit=geofence.service
For=regions
