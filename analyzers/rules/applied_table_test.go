package rules_test

// The tables of the tests of fixes. A name is a case, "SHD101/bad_constant_axis.py", where a fix is made also with its alternative,
// "SHD101/bad_constant_axis.py [0]".

// partly lists the programs in which a rule still finds something, or another an error, after all fixes were applied.
var partly = map[string]string{}

// withoutFix lists the bad cases for which a rule offers no fix.
var withoutFix = map[string]string{
	"SHD101/bad_one_of_two_instances.py":         "another name would be wrong for the other object",
	"SHD201/bad_axis_not_made_manual.py":         "the collective may be meant, or the axis_names",
	"SHD204/bad_mapped_gradient.py":              "the gradient is the mapped function itself: outside of it no axis is bound",
	"SHD214/bad_duplicate_destination.py":        "what several sources are to become is open",
	"SHD219/bad_clip_in_manual_region.py":        "the norm is taken inside of the transformation",
	"SHD312/bad_context_manager_without_mesh.py": "the program makes no mesh",
	"SHD312/bad_device_put_spec.py":              "the program makes no mesh",
	"SHD312/bad_no_context_method.py":            "the program makes no mesh",
	"SHD508/bad_ffi_in_method.py":                "not written",
	"SHD508/bad_pallas_under_jit.py":             "not written",
	"SHD520/bad_update_in_dim.py":                "not written",
	"SHD520/bad_write_past_the_end.py":           "not written",
	"SHD907":                                     "the specs of the shard_map, and what becomes of the leading dimension, are the author's to say",
	"SHD703/bad_replicated_over_hosts.py":        "which axis the rows of a process belong to is not known",
	"SHD801/bad_no_rules.py":                     "the program has no rules",
}

// notRun lists the fixed programs that cannot run on eight simulated CPU devices of one process.
var notRun = map[string]string{
	"SHD109/bad_dcn_config.py [0]":            "CPU devices are in no slice",
	"SHD109/bad_slices_with_make_mesh.py [0]": "CPU devices are in no slice",
}

// raises lists the fixed programs that JAX still refuses, for a reason that the fix is not about.
var raises = map[string]string{}
