from config import Parallelism
from meshes import build

mesh = build(Parallelism(dcn_data=1, ici_fsdp=8))
print(dict(mesh.shape))
