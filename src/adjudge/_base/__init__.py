"""What every other package may rely on; knows nothing of them."""
