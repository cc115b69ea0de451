from dataclasses import dataclass


@dataclass(frozen=True)
class Parallelism:
    dcn_data: int = 1
    ici_fsdp: int = -1
    ici_tensor: int = 1

    @property
    def dcn_shape(self):
        return (self.dcn_data, 1, 1)

    @property
    def ici_shape(self):
        return (1, self.ici_fsdp, self.ici_tensor)
