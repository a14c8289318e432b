"""``python -m recall_lab`` is the ``recall-lab`` command."""

from recall_lab.cli import main

main()
