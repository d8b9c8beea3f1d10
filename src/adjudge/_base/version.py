"""The version, said once for the code."""

VERSION = "0.1.0"
