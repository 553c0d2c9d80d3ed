"""An engine for tests: it speaks DXP at a port, and misbehaves as its argument says. PORT FAULT."""

import socket
import sys
import time


def main(port: int, fault: str) -> None:
    if fault == "does not listen":
        time.sleep(600)
    if fault == "dies at once":
        sys.exit(3)
    with socket.create_server(("127.0.0.1", port)) as listener:
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            name = "double".ljust(32)
            answers = {
                "garbage": "what?\0",
                "endless message": "x" * 1000,
                "refuses": f"A{name}2\0",
                "illegal": f"A{name}0\0M0000013200\0",
                "ends the game": f"A{name}0\0E00\0",
            }
            connection.sendall(answers.get(fault, "").encode())
            if fault in answers:
                connection.recv(4096)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
