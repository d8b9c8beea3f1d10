"""What every other package may rely on; knows nothing of them."""

VERSION = "0.1.0"
