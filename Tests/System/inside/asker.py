"""An app of a person: requests positions while it is used, and reads three."""

import json

from varlink import Connection

connection = Connection()
# Being in use is declared on the connection of the app.
connection.ask("io.waymark.Location.SetActivity", {"activity": "active"})
asked = connection.ask("io.waymark.Location.RequestWhenInUse")
positions = []
if asked.get("parameters", {}).get("authorization", {}).get("status") == "authorizedWhenInUse":
    connection.call("io.waymark.Location.Monitor", more=True)
    while len(positions) < 3:
        for reply in connection.replies() or [{"error": "closed"}]:
            if "error" in reply:
                raise SystemExit(f"no positions: {reply}")
            if "position" in reply["parameters"]["update"]:
                positions.append(reply["parameters"]["update"]["position"]["timestamp"])
print(json.dumps({"asked": asked, "positions": len(positions)}))
