"""The coverage atlas: simulations with known truth, adjudge and its peers on the same samples, and the page of the results."""
