# /etc/waymark/apps/yard-gate.app
[App]
Name=Yard Gate
Unit=yard-gate.service
WhenInUseUsageDescription=Opens the gate when the vehicle comes to the yard.
AlwaysAndWhenInUseUsageDescription=Opens the gate when the vehicle comes to the yard.

[Wake]
Unit=yard-gate.service
For=regions path
