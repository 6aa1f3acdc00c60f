"""A finished subset of any spoken question answering, said again in many voices and put into noise: a variant of it."""
