"""Stands where pip would be: `python3 -m pip` answers with one sentence."""
import sys

_SENTENCE = ("pip: packages come with the sandbox's image and cannot be installed in a session; "
             "ask the operator for an image that has what is missing.")

if __name__ == "__main__":
    sys.exit(_SENTENCE)
raise ImportError(_SENTENCE)
