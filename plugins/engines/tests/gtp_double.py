"""A GTP engine for tests, which knows no rules: it answers each genmove with the words in $ANSWER, after work of 50 ms.

With $REFUSES, it refuses all commands that begin with this word.
"""

import os
import sys
import time


def main() -> None:
    refuses = os.environ.get("REFUSES", "nothing")
    for line in sys.stdin:
        if line.startswith(refuses):
            answer = f"? not for me, in {os.path.basename(os.getcwd())}"
        elif line.startswith("genmove"):
            began = time.process_time()
            while time.process_time() < began + 0.05:
                pass
            answer = f"= {os.environ['ANSWER']}"
        else:
            answer = "= 2" if line.startswith("protocol_version") else "="
        print(answer, end="\n\n", flush=True)
        if line.startswith("quit"):
            return


if __name__ == "__main__":
    main()
