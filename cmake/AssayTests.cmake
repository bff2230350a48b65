# SPDX-License-Identifier: Apache-2.0
# Registers the tests. A file tests/**/test_*.c is one program linked with tests/unit/harness.c; test_*.sh and test_*.py
# are scripts. A test says what is special about it in its first comment:
#     ctest: labels slow
#     ctest: timeout 900
#     ctest: uses unit/model          (the helpers of another folder)
# Exit code 77 is a skip (the reason is printed).
set(ASSAY_TEST_ENVIRONMENT
    "ASSAY_SOURCE_DIR=${CMAKE_SOURCE_DIR}" "ASSAY_BINARY_DIR=${CMAKE_BINARY_DIR}" "ASSAY_BIN=${CMAKE_BINARY_DIR}/bin")

function(assay_test_properties name file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    set(timeout 900) # generous: sanitizers and busy machines
    set(labels "")
    file(STRINGS "${file}" notes REGEX "ctest: (labels|timeout) ")
    foreach(note IN LISTS notes)
        if(note MATCHES "ctest: timeout ([0-9]+)")
            set(timeout ${CMAKE_MATCH_1})
        elseif(note MATCHES "ctest: labels ([a-z0-9 -]*[a-z0-9])")
            string(REPLACE " " ";" labels "${CMAKE_MATCH_1}")
        endif()
    endforeach()
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${timeout} LABELS "${labels}"
                         ENVIRONMENT "${ASSAY_TEST_ENVIRONMENT}" WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
endfunction()

# tests/unit/base/test_mem.c -> unit_base_mem; tests/soundness/test_range.c -> soundness_range
function(assay_test_name out file)
    file(RELATIVE_PATH name "${CMAKE_SOURCE_DIR}/tests" "${file}")
    string(REGEX REPLACE "\\.[a-z]+$" "" name "${name}")
    string(REGEX REPLACE "test_([^/]*)$" "\\1" name "${name}")
    string(REPLACE "/" "_" name "${name}")
    set(${out} "${name}" PARENT_SCOPE)
endfunction()

add_library(assay_harness OBJECT tests/unit/harness.c)
target_include_directories(assay_harness PUBLIC tests tests/unit src include)

# The helpers of tests/FOLDER/: its .c files that are not tests, as one library; empty if there are none.
function(assay_test_helpers out folder)
    file(GLOB helpers CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/${folder}/*.c")
    list(FILTER helpers EXCLUDE REGEX "/(test|gen)_[^/]*\\.c$")
    set(target "")
    if(helpers)
        string(MAKE_C_IDENTIFIER "helpers_${folder}" target)
        if(NOT TARGET ${target})
            assay_isa_flags(helpers)
            add_library(${target} STATIC EXCLUDE_FROM_ALL ${helpers})
            target_link_libraries(${target} PUBLIC assay_harness assay_static)
        endif()
    endif()
    set(${out} ${target} PARENT_SCOPE)
endfunction()

file(GLOB test_sources CONFIGURE_DEPENDS tests/unit/*/test_*.c tests/[a-t]*/test_*.c tests/[v-z]*/test_*.c)
foreach(source IN LISTS test_sources)
    assay_test_name(name "${source}")
    get_filename_component(folder "${source}" DIRECTORY)
    file(RELATIVE_PATH folders "${CMAKE_SOURCE_DIR}/tests" "${folder}")
    file(STRINGS "${source}" notes REGEX "ctest: uses ")
    foreach(note IN LISTS notes)
        string(REGEX MATCH "ctest: uses ([a-z/]+)" note "${note}")
        list(APPEND folders ${CMAKE_MATCH_1})
    endforeach()
    add_executable(${name} ${source} $<TARGET_OBJECTS:assay_harness>)
    target_include_directories(${name} PRIVATE tests tests/unit src include)
    foreach(helped IN LISTS folders)
        assay_test_helpers(helpers "${helped}")
        target_link_libraries(${name} PRIVATE ${helpers})
    endforeach()
    target_link_libraries(${name} PRIVATE assay_cli assay_static)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    add_test(NAME ${name} COMMAND ${name})
    assay_test_properties(${name} "${source}")
endforeach()

file(GLOB test_scripts CONFIGURE_DEPENDS tests/*/test_*.sh tests/unit/*/test_*.sh)
foreach(script IN LISTS test_scripts)
    assay_test_name(name "${script}")
    add_test(NAME ${name}_sh COMMAND bash "${script}")
    assay_test_properties(${name}_sh "${script}")
endforeach()

# Debian's interpreter, which has Debian's numpy; another python3 may stand before it on PATH.
file(GLOB test_pythons CONFIGURE_DEPENDS tests/*/test_*.py tests/unit/*/test_*.py)
foreach(script IN LISTS test_pythons)
    assay_test_name(name "${script}")
    add_test(NAME ${name}_py COMMAND /usr/bin/python3 "${script}")
    assay_test_properties(${name}_py "${script}")
endforeach()
