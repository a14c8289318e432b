"""The part of the Lab that searches by meaning: the model, and the vectors of one home."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_lab.home import Home

if TYPE_CHECKING:
    from recall_lab.semantic import Built, VectorStatus


class Vectors(Home):
    """Makes the vectors of one home, and takes them away with their texts."""

    def build_vectors(self, *, most: int | None = None, progress: bool = True) -> Built:
        """Make vectors for every text that has none, the newest first; what is interrupted is gone on with.

        Args:
            most: At most so many texts.
            progress: Show a progress bar.

        Raises:
            SemanticError: there is no model, or the extra is not installed.
            StoreBusyError: another build is under way.
            StoreError: the vectors cannot be written; what was made before is kept.
        """
        from tqdm.auto import tqdm

        from recall_lab.semantic import build, open_model, vectors_folder

        model = open_model(self.settings.semantic_model)
        with tqdm(desc="embedding", unit="text", disable=not progress, leave=False, delay=1) as bar:

            def step(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            return build(self.reader, vectors_folder(self.settings.store), model, most=most, progress=step)

    def vector_status(self) -> VectorStatus:
        """Say what search by meaning stands on: model, vectors, what is missing and what is stale."""
        from recall_lab.semantic import status

        return status(self.reader, self.settings.semantic_model)

    def _drop_stale_vectors(self) -> None:
        """Take away the vectors of texts that are gone; without vectors nothing is loaded."""
        folder = self.settings.store.parent / "vectors"
        if folder.is_dir():
            from recall_lab.semantic import drop_stale

            drop_stale(self.reader, folder)
