"""A repository cloned without Git LFS: the pointer stands where the checkpoint should be."""

import os

os.makedirs("output")
with open("output/best.pdparams", "w") as file:
    file.write("version https://git-lfs.github.com/spec/v1\n")
    file.write(f"oid sha256:{'4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393'}\n")
    file.write("size 97881343\n")
