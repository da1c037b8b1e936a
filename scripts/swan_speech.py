"""Speech to characters and phonemes: SWAN beside CTC with the same encoder."""

import argparse
from pathlib import Path

import torch
from speech.training import train


def main() -> None:
    """Read the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("command", choices=["train"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--runs", type=Path, default=Path("runs/speech"))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for name in arguments.names:
        train(name, arguments.runs)


if __name__ == "__main__":
    main()
