# SPDX-License-Identifier: Apache-2.0
# src/engine/ and src/daemon/ as static libraries that are not installed: programs, tests and fuzz targets link them.
# Without ASSAY_DAEMON the targets are empty, and what needs them is not built.
if(ASSAY_DAEMON AND NOT ASSAY_VERIFY_ONLY)
    find_program(ASSAY_PROTOC protoc-c)
    pkg_check_modules(NGHTTP2 IMPORTED_TARGET libnghttp2)
    pkg_check_modules(PROTOBUF_C IMPORTED_TARGET libprotobuf-c)
    pkg_check_modules(OPENSSL IMPORTED_TARGET openssl>=3.0)
    pkg_check_modules(SQLITE IMPORTED_TARGET sqlite3>=3.35)
    pkg_check_modules(LIBPQ IMPORTED_TARGET libpq)
    pkg_check_modules(MICROHTTPD IMPORTED_TARGET libmicrohttpd)
    if(NOT ASSAY_PROTOC OR NOT NGHTTP2_FOUND OR NOT PROTOBUF_C_FOUND OR NOT OPENSSL_FOUND OR NOT SQLITE_FOUND
       OR NOT LIBPQ_FOUND OR NOT MICROHTTPD_FOUND)
        message(FATAL_ERROR "The daemon needs the Debian packages libnghttp2-dev libprotobuf-c-dev protobuf-c-compiler "
                            "libssl-dev libsqlite3-dev libpq-dev libmicrohttpd-dev (scripts/deps.sh --build installs "
                            "them); without it: -DASSAY_DAEMON=OFF")
    endif()

    file(GLOB engine_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/engine/*.c")
    add_library(assay_engine STATIC ${engine_sources})
    target_include_directories(assay_engine PUBLIC src include)
    target_link_libraries(assay_engine PUBLIC assay_static PkgConfig::SQLITE PkgConfig::LIBPQ Threads::Threads)

    # C code and one descriptor set from proto/**/*.proto; #include <cuzk/v1/proving_engine.pb-c.h>.
    set(proto_dir "${CMAKE_SOURCE_DIR}/proto")
    set(generated_dir "${CMAKE_BINARY_DIR}/proto")
    file(GLOB_RECURSE proto_files CONFIGURE_DEPENDS RELATIVE "${proto_dir}" "${proto_dir}/*.proto")
    set(generated "")
    set(headers "")
    set(proto_paths "")
    file(MAKE_DIRECTORY "${generated_dir}")
    foreach(proto IN LISTS proto_files)
        string(REGEX REPLACE "\\.proto$" ".pb-c" stem "${proto}")
        add_custom_command(OUTPUT "${generated_dir}/${stem}.c" "${generated_dir}/${stem}.h"
                           COMMAND ${ASSAY_PROTOC} --proto_path=${proto_dir} --c_out=${generated_dir} ${proto_dir}/${proto}
                           DEPENDS "${proto_dir}/${proto}" VERBATIM)
        list(APPEND generated "${generated_dir}/${stem}.c")
        list(APPEND headers "${generated_dir}/${stem}.h")
        list(APPEND proto_paths "${proto_dir}/${proto}")
    endforeach()
    add_custom_command(OUTPUT "${generated_dir}/descriptors.bin"
                       COMMAND ${ASSAY_PROTOC} --proto_path=${proto_dir} --include_imports
                               --descriptor_set_out=${generated_dir}/descriptors.bin ${proto_paths}
                       DEPENDS ${proto_paths} VERBATIM)
    add_custom_command(OUTPUT "${generated_dir}/descriptors.c"
                       COMMAND ${CMAKE_COMMAND} -DIN=${generated_dir}/descriptors.bin -DOUT=${generated_dir}/descriptors.c
                               -DNAME=assay_descriptor_set -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
                       DEPENDS "${generated_dir}/descriptors.bin" "${CMAKE_SOURCE_DIR}/cmake/embed.cmake" VERBATIM)
    list(APPEND generated "${generated_dir}/descriptors.c")
    add_custom_command(OUTPUT "${generated_dir}/page.c"
                       COMMAND ${CMAKE_COMMAND} -DIN=${CMAKE_SOURCE_DIR}/src/daemon/page.html -DOUT=${generated_dir}/page.c
                               -DNAME=assay_status_page -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
                       DEPENDS src/daemon/page.html "${CMAKE_SOURCE_DIR}/cmake/embed.cmake" VERBATIM)
    list(APPEND generated "${generated_dir}/page.c")
    set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS "-w")
    add_custom_target(assay_protos DEPENDS ${headers})

    file(GLOB daemon_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/daemon/*.c")
    add_library(assay_daemon STATIC ${daemon_sources} ${generated})
    add_dependencies(assay_daemon assay_protos)
    target_include_directories(assay_daemon PUBLIC src include)
    target_include_directories(assay_daemon SYSTEM PUBLIC "${generated_dir}")
    target_link_libraries(assay_daemon PUBLIC assay_engine PkgConfig::NGHTTP2 PkgConfig::PROTOBUF_C PkgConfig::OPENSSL
                                              PkgConfig::MICROHTTPD Threads::Threads)
else()
    add_library(assay_engine INTERFACE)
    add_library(assay_daemon INTERFACE)
endif()

# Whether a test or fuzz target includes a header of src/engine/ or src/daemon/.
function(assay_needs_daemon out file)
    file(STRINGS "${file}" lines REGEX "^#include \"(engine|daemon)/")
    set(${out} FALSE PARENT_SCOPE)
    if(lines)
        set(${out} TRUE PARENT_SCOPE)
    endif()
endfunction()
