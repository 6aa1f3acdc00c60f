"""Voices and ears behind two small protocols, the weights they need, and a memory of everything they said and heard."""
