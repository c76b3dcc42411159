//! The shared object that clang loads: the crate `pass` together with `shim.cpp`, compiled for one version of LLVM.
//!
//! Nothing is decided here: it must stay small, because it is built once for each version.

// Its stages are called by name, from shim.cpp.
extern crate symcrete_pass as _;

use std::ffi::c_void;

unsafe extern "C" {
    fn symcrete_plugin_info(place: *mut c_void) -> *mut c_void;
}

/// The symbol by which clang finds a plugin. In LLVM's headers it takes nothing and returns a structure whose size
/// differs between versions; this is what that looks like on x86-64, for any size.
///
/// # Safety
///
/// `place` is room for the structure of the version that the plugin was built for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn llvmGetPassPluginInfo(place: *mut c_void) -> *mut c_void {
    // SAFETY: shim.cpp, compiled against the same version, fills exactly that.
    unsafe { symcrete_plugin_info(place) }
}
