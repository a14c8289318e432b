"""Panels for JupyterLab; each has ``.data()``, ``.sql`` where there is one, and ``.code``, the line that repeats it."""

from recall_lab.widgets.panels import Panels

__all__ = ["Panels"]
