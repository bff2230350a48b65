# SPDX-License-Identifier: Apache-2.0
# src/daemon/ as a static library that is not installed: programs, tests and fuzz targets link it. Without ASSAY_DAEMON the
# target is empty, and what needs it is not built.
if(ASSAY_DAEMON AND NOT ASSAY_VERIFY_ONLY)
    file(GLOB daemon_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/daemon/*.c")
    add_library(assay_daemon STATIC ${daemon_sources})
    target_include_directories(assay_daemon PUBLIC src include)
    target_link_libraries(assay_daemon PUBLIC assay_static)
else()
    add_library(assay_daemon INTERFACE)
endif()

# Whether a test or fuzz target includes a header of src/daemon/.
function(assay_needs_daemon out file)
    file(STRINGS "${file}" lines REGEX "^#include \"daemon/")
    set(${out} FALSE PARENT_SCOPE)
    if(lines)
        set(${out} TRUE PARENT_SCOPE)
    endif()
endfunction()
