# SPDX-License-Identifier: Apache-2.0
# fuzz/fuzz_X.c defines LLVMFuzzerTestOneInput; its corpus is fuzz/corpus/X/. With any compiler, X is linked with
# replay_main.c and its corpus replayed as the test fuzz_replay_X. With ASSAY_FUZZ (clang), it is a libFuzzer program.
file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/fuzz_*.c)
set(fuzz_targets "")
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name "${source}" NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" short "${name}")
    if(ASSAY_FUZZ)
        add_executable(${name} ${source})
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    elseif(ASSAY_TESTS)
        add_executable(${name} ${source} fuzz/replay_main.c)
        add_test(NAME fuzz_replay_${short} COMMAND ${name} "${CMAKE_SOURCE_DIR}/fuzz/corpus/${short}")
        set_tests_properties(fuzz_replay_${short} PROPERTIES TIMEOUT 300 LABELS fuzz
                             ENVIRONMENT "ASSAY_SOURCE_DIR=${CMAKE_SOURCE_DIR}"
                             WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
    else()
        continue()
    endif()
    target_include_directories(${name} PRIVATE fuzz src include)
    target_link_libraries(${name} PRIVATE assay_static)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
    list(APPEND fuzz_targets ${name})
endforeach()
add_custom_target(fuzzers DEPENDS ${fuzz_targets})
