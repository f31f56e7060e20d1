"""Small files that unpack to much: no page waits until they are read."""

import gzip
import io
import time
import zipfile
from pathlib import Path

import pytest
from django.conf import LazySettings

from dashboard.access import Principal
from dashboard.services.imports.uploads import Upload, receive_upload


def _sent(content: bytes, name: str) -> Upload:
    return receive_upload(
        principal=Principal(1, "ada"), name=name, parts=[content], format_name="benchmarks", system_name="Toy"
    )


@pytest.mark.parametrize("depth", [1, 2])
def test_a_small_file_that_unpacks_to_much_is_left_to_the_job(
    depth: int, settings: LazySettings, tmp_path: Path
) -> None:
    """Also of a packed file within a packed one."""
    settings.VAR = tmp_path
    # In proportion: what is out of it is refused as a bomb.
    large = b'{"a": [' + b"".join(b"%d, " % n * 30 for n in range(90_000)) + b"0]}"
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "runs.json.gz" if depth == 2 else "runs.json", gzip.compress(large) if depth == 2 else large
        )
    upload = _sent(whole.getvalue(), "t.zip")
    begin = time.process_time()
    assert upload.size < 1 << 20
    assert not upload.is_checked_at_once
    assert time.process_time() - begin < 2


def test_what_stays_small_is_checked_at_once(settings: LazySettings, tmp_path: Path) -> None:
    settings.VAR = tmp_path
    assert _sent(b"a,b\n1,2\n", "t.csv").is_checked_at_once
    assert _sent(gzip.compress(b"a,b\n1,2\n"), "t.csv.gz").is_checked_at_once
    assert not _sent(bytes(3 << 20), "t.txt").is_checked_at_once
