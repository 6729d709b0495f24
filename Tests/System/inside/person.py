"""A person who has logged in: starts an app as a service of their own, is asked by an agent, and answers.

    person.py RESULT
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    agent = subprocess.Popen(["waymark", "agent", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    lines = map(json.loads, agent.stdout)
    registered = next(lines)
    app = subprocess.Popen(
        ["systemd-run", "--user", "--quiet", "--collect", "--pipe", "--wait", "--unit=trips", sys.executable, "-B",
         f"{HERE}/asker.py"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    question = next(line for line in lines if "prompt" in line and isinstance(line["prompt"], dict))
    prompt = question["prompt"]
    choice = next(each for each in prompt["choices"] if each != "allowOnce" and each.startswith("allow"))
    print(json.dumps({"prompt": prompt["id"], "choice": choice, "precise": True}), file=agent.stdin, flush=True)
    answered = next(line for line in lines if "answered" in line or "error" in line)
    reported = json.loads(app.communicate(timeout=30)[0])
    agent.stdin.close()
    agent.wait(10)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump({"registered": registered, "title": question["text"]["title"], "choice": choice, "answered": answered,
                   "session": os.environ.get("XDG_SESSION_ID"), **reported}, file)


main()
