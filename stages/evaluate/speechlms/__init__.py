"""Models under test: one small file a kind, chosen by the `kind` of conf/speechlm/<name>.yaml."""
