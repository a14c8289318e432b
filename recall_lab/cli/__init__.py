"""The ``recall-lab`` command: one JSON value or text on standard output, one line for each error, exit codes.

0 is done (also with problems listed), 1 means that the answer is no, 2 that it cannot be done, 130 interrupted.
"""

from recall_lab.cli._starting import main, open_workbench, run

__all__ = ["main", "open_workbench", "run"]
