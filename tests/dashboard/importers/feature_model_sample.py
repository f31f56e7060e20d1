"""A feature model of our own in XML, and ways to write others."""

from pathlib import Path

from dashboard.importers.feature_model import read
from dashboard.importers.records import Imported
from dashboard.importers.source import open_source

SAMPLE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE vm SYSTEM "vm.dtd">
<vm name="packer" root="packer-src" commit="abc123">
  <binaryOptions>
    <configurationOption><name>root</name><optional>False</optional></configurationOption>
    <configurationOption>
      <name>compression</name>
      <outputString>-c</outputString>
      <parent>root</parent>
      <children><options>gzip</options><options>lzma</options></children>
      <optional>True</optional>
      <locations>
        <sourceRange category="necessary">
          <path>packer/compress.py</path>
          <start><line>3</line><column>5</column></start>
          <end><line>9</line><column>20</column></end>
        </sourceRange>
        <sourceRange category="inessential">
          <revisionRange><introduced>1.1</introduced><removed>2.0</removed></revisionRange>
          <path>packer/main.py</path>
          <start><line>1</line><column>1</column></start>
          <end><line>1</line><column>30</column></end>
          <memberOffset>Packer::level</memberOffset>
        </sourceRange>
      </locations>
    </configurationOption>
    <configurationOption>
      <name>gzip</name>
      <parent>compression</parent>
      <excludedOptions><options>lzma</options></excludedOptions>
      <optional>False</optional>
    </configurationOption>
    <configurationOption>
      <name>lzma</name>
      <parent>compression</parent>
      <impliedOptions><options>cache | sync</options></impliedOptions>
      <excludedOptions><options>gzip</options></excludedOptions>
      <optional>False</optional>
    </configurationOption>
    <configurationOption><name>cache</name><parent>root</parent><optional>True</optional></configurationOption>
    <configurationOption><name>sync</name><parent>root</parent><optional>True</optional></configurationOption>
  </binaryOptions>
  <numericOptions>
    <configurationOption>
      <name>threads</name>
      <parent></parent>
      <minValue>1</minValue>
      <maxValue>8</maxValue>
      <stepFunction>threads * 2</stepFunction>
    </configurationOption>
    <configurationOption><name>block</name><parent>root</parent><values>64;16;32</values></configurationOption>
  </numericOptions>
  <booleanConstraints><constraint>!cache | !sync</constraint></booleanConstraints>
  <nonBooleanConstraints><constraint>threads * block &lt;= 256</constraint></nonBooleanConstraints>
  <mixedConstraints><constraint req="all" exprKind="neg">lzma * threads = 1</constraint></mixedConstraints>
</vm>
"""


def option(name: str, *parts: str) -> str:
    """An option with further elements in it."""
    return f"<configurationOption><name>{name}</name>{''.join(parts)}</configurationOption>"


def model(*binary: str, numeric: str = "", boolean: str = "", mixed: str = "", head: str = "") -> str:
    """A model whose options lie on lines of their own: the first one is the root, on line 2."""
    lines = "\n".join([option("root"), *binary])
    return (
        f"{head}<vm name='small'><binaryOptions>\n{lines}\n</binaryOptions>\n"
        f"<numericOptions>{numeric}</numericOptions>\n"
        f"<booleanConstraints>{boolean}</booleanConstraints>\n"
        f"<mixedConstraints>{mixed}</mixedConstraints></vm>"
    )


def write(folder: Path, content: str | bytes = SAMPLE, name: str = "FeatureModel.xml") -> Path:
    """A file of this content."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read_file(path: Path) -> Imported:
    """What the importer finds in a file. Raises what it raises."""
    with open_source(path, lone=True) as source:
        return read(source)
