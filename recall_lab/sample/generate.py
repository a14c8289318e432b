"""Writes the packaged sample: ``python -m recall_lab.sample.generate [FOLDER]``.

The output is laid out like a user's home folder and is the same, byte for byte, on every run.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path, PurePosixPath

from recall_lab.sample import claude_code, codex, sample_home
from recall_lab.sample.invention import with_secrets
from recall_lab.sample.story import Story, load_stories

_SOURCES = PurePosixPath("/home/dev/src")


def sample_files() -> dict[PurePosixPath, bytes]:
    """Return every file of the sample by its path under the home folder."""
    files: dict[PurePosixPath, bytes] = {}
    transcripts: dict[str, claude_code.Transcript] = {}
    rollouts: dict[str, codex.Rollout] = {}
    for story in load_stories().values():
        cwd, remote = str(_SOURCES / story.repo), f"git@git.example.org:harbour/{story.repo}.git"
        if story.host == "claude-code":
            copied = transcripts.get(story.parent or "") if story.relation == "copy" else None
            transcript = transcripts[story.name] = claude_code.Transcript(story, cwd, copied)
            path, lines = claude_code.transcript_path(story, cwd), transcript.lines
            if story.relation == "subagent":
                files[path.with_name(f"{path.stem}.meta.json")] = claude_code.meta_record(story).encode()
        elif story.host == "codex":
            rollout = rollouts[story.name] = codex.Rollout(story, cwd, remote, rollouts.get(story.parent or ""))
            path, lines = codex.transcript_path(story), rollout.lines
        else:
            path, lines = codex.transcript_path(story), codex.legacy_lines(story, cwd, remote)
        files[path] = with_secrets("".join(line + "\n" for line in lines)).encode()
    return files


def thoughts() -> tuple[str, ...]:
    """Return every text that the sample's agents only thought."""
    return tuple(step.think for story in load_stories().values() for step in story.step if step.think)


def names(stories: dict[str, Story]) -> dict[str, str]:
    """Return the native session id of each story by its name."""
    found = {}
    for story in stories.values():
        if story.host != "claude-code":
            found[story.name] = codex.thread_id(story)
        elif story.relation == "subagent" and story.parent is not None:
            found[story.name] = f"{claude_code.session_id(story.parent)}/{claude_code.agent_id(story.name)}"
        else:
            found[story.name] = claude_code.session_id(story.name)
    return found


def write_sample(folder: Path) -> int:
    """Write the sample's files below ``folder``; return how many there are.

    The package's own folder is replaced whole; any other one has to be new or empty, so that nobody's files are lost.

    Raises:
        FileExistsError: ``folder`` holds something.
    """
    if folder == sample_home():
        shutil.rmtree(folder, ignore_errors=True)
    elif folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty: name a new folder for the sample")
    files = sample_files()
    for path, data in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return len(files)


def main() -> None:
    """Write the sample where the package keeps it, or into the folder that is named."""
    parser = argparse.ArgumentParser(prog="python -m recall_lab.sample.generate", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=sample_home())
    folder = parser.parse_args().folder
    print(f"{write_sample(folder)} files written to {folder}")


if __name__ == "__main__":
    main()
