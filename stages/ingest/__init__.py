"""Ingest: the upstream data sets, as they are, become rows."""
