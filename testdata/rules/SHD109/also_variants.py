import jax


class Setup:
    def __init__(self, dcn_data=2, ici_model=4):
        self.dcn_data = dcn_data
        self.ici_model = ici_model

    def mesh(self):
        return jax.make_mesh((self.dcn_data, self.ici_model), ("data", "model"))  # want SHD109 "create_hybrid_device_mesh"


def slices():
    return {d.slice_index for d in jax.devices()}


n = len(slices())
if n == 1:
    mesh = jax.make_mesh((4, 2), ("data", "model"))
else:
    raise NotImplementedError
Setup().mesh()
