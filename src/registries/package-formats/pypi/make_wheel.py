"""Writes a wheel and a source archive, as build programs do: make_wheel.py FOLDER NAME VERSION BYTES"""

import base64
import hashlib
import io
import os
import sys
import tarfile
import zipfile

folder, name, version, size = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
stem = f"{name}-{version}"
metadata = f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\nRequires-Python: >=3.6\n"
files = {
    f"{name}.py": f"VERSION = '{version}'\n".encode(),
    f"{name}_data.bin": os.urandom(size),
    f"{stem}.dist-info/METADATA": metadata.encode(),
    f"{stem}.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
record = f"{stem}.dist-info/RECORD"


def line(path, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(content)}\n"


lines = "".join(line(path, content) for path, content in files.items()) + f"{record},,\n"
with zipfile.ZipFile(os.path.join(folder, f"{stem}-py3-none-any.whl"), "w") as wheel:
    for path, content in {**files, record: lines.encode()}.items():
        wheel.writestr(path, content)
with tarfile.open(os.path.join(folder, f"{stem}.tar.gz"), "w:gz") as archive:
    for path, content in {"PKG-INFO": metadata.encode(), f"{name}.py": files[f"{name}.py"]}.items():
        info = tarfile.TarInfo(f"{stem}/{path}")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
