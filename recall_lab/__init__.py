"""A Jupyter-native research workbench over the history of coding agents."""
