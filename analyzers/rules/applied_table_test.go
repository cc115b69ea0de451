package rules_test

// The tables of the tests of fixes. A name is a case, "SHD101/bad_constant_axis.py", where a fix is made also with its alternative,
// "SHD101/bad_constant_axis.py [0]".

// partly lists the programs in which a rule still finds something, or another an error, after all fixes were applied.
var partly = map[string]string{
	"SHD201/also_variants.py [0]":                     "what psum returned differed all along; without it the out_spec shows that",
	"SHD206/bad_whole_model.py [0]":                   "the check finds the reduction that was right without it",
	"SHD211/bad_concrete_mesh_in_checked_body.py [0]": "SHD312 does not see the mesh of the region",
}

// withoutFix lists the bad cases for which a rule offers no fix.
var withoutFix = map[string]string{
	"SHD103/bad_bias_kernel_spec.py":             "not written",
	"SHD103/bad_scalar_step.py":                  "not written",
	"SHD104/bad_kv_heads.py":                     "not written",
	"SHD104/bad_vocab_out_shardings.py":          "not written",
	"SHD105/bad_returned_state.py":               "not written",
	"SHD105/bad_vocab_constraint.py":             "not written",
	"SHD106/bad_in_shardings.py":                 "not written",
	"SHD107/bad_reversed_devices.py":             "not written",
	"SHD107/bad_transposed_in_jit.py":            "not written",
	"SHD109/bad_dcn_config.py":                   "not written",
	"SHD109/bad_slices_with_make_mesh.py":        "not written",
	"SHD110/bad_trailing_none.py":                "not written",
	"SHD201/bad_axis_not_made_manual.py":         "not written",
	"SHD203/bad_pmap_update.py":                  "not written",
	"SHD204/bad_mapped_gradient.py":              "not written",
	"SHD207/bad_one_axis_left.py":                "not written",
	"SHD208/bad_cond_branch.py":                  "not written",
	"SHD209/bad_one_spec_short.py":               "not written",
	"SHD209/bad_top_level_none.py":               "not written",
	"SHD214/bad_duplicate_destination.py":        "not written",
	"SHD214/bad_wrap_forgotten.py":               "not written",
	"SHD217/bad_pmap_count.py":                   "not written",
	"SHD218/bad_legacy_unchecked.py":             "not written",
	"SHD219/bad_clip_in_manual_region.py":        "not written",
	"SHD220/bad_axis_used_twice.py":              "not written",
	"SHD312/bad_context_manager_without_mesh.py": "the program makes no mesh",
	"SHD312/bad_device_put_spec.py":              "the program makes no mesh",
	"SHD312/bad_no_context_method.py":            "the program makes no mesh",
	"SHD508/bad_ffi_in_method.py":                "not written",
	"SHD508/bad_pallas_under_jit.py":             "not written",
	"SHD520/bad_update_in_dim.py":                "not written",
	"SHD520/bad_write_past_the_end.py":           "not written",
	"SHD703/bad_replicated_over_hosts.py":        "which axis the rows of a process belong to is not known",
	"SHD801/bad_no_rules.py":                     "the program has no rules",
	"SHD901/bad_positional_sharding.py":          "not written",
	"SHD901/bad_replicated_params.py":            "not written",
	"SHD902/bad_pjit_attribute.py":               "not written",
	"SHD907/bad_new_pmap.py":                     "not written",
	"SHD907/bad_pmap_under_jit.py":               "not written",
	"SHD909/bad_callbacks_only.py":               "not written",
	"SHD909/bad_static_args.py":                  "not written",
}

// notRun lists the fixed programs that cannot run on eight simulated CPU devices of one process.
var notRun = map[string]string{}

// raises lists the fixed programs that JAX still refuses, for a reason that the fix is not about.
var raises = map[string]string{
	"SHD106/bad_explicit_mesh.py [0]": "None is no layout for an Explicit axis either",
}
