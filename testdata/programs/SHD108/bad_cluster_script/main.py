from cluster import build_mesh, rank

mesh = build_mesh(tensor=4)
print(rank(), mesh.shape)
