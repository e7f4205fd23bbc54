"""The gallery in the documentation: every model that comes with the package in its group, with its picture, why it is interesting,
its source, the test that checks it, and its whole file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from dalembert.files.gallery import files
from tools.site.model_picture import picture

WORDS = Path(__file__).with_name("gallery.yaml")
HEAD = """# Gallery

These models come with the package. Each is one file. Run it, look at it, or copy it and change it:

```
dalembert view four_bar              # a page that simulates
dalembert simulate four_bar -o x.html
dalembert gallery -o pages           # all of them, with moving pictures
```

Each picture shows the start of the motion. *Check* names what a test compares with."""


def words() -> dict[str, dict[str, dict[str, str]]]:
    """What is said of every model, by group and name."""
    found: dict[str, Any] = yaml.safe_load(WORDS.read_text(encoding="utf-8"))
    return found


def page() -> str:
    """One section for each model, in its group."""
    parts = [HEAD]
    for group, models in words().items():
        parts.append(f"## {group}")
        parts += [_section(name, said) for name, said in models.items()]
    return "\n\n".join(parts) + "\n"


def _section(name: str, said: dict[str, str]) -> str:
    file = files()[name]
    text = file.read_text(encoding="utf-8")
    purpose = yaml.safe_load(text)["purpose"]
    return "\n\n".join(
        [
            f"### {name}",
            f"![{name}](images/gallery/{name}.svg)",
            f"{purpose} {said['why']}",
            f"*Source*: {said['source']} *Check*: {said['check']}",
            f":::{{dropdown}} {file.name}\n```yaml\n{text}```\n:::",
        ]
    )


def pictures() -> dict[str, str]:
    """The picture of every model, by its name."""
    return {name: picture(file) for name, file in files().items()}
