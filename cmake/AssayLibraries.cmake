# SPDX-License-Identifier: Apache-2.0
# The libraries. Every .c file of the folders below is compiled once; the files that checking needs go into both libraries.

function(assay_object_library name)
    add_library(${name} OBJECT ${ARGN})
    target_include_directories(${name} PRIVATE src include)
endfunction()

# name_static and name_shared from object libraries, both installed under the name `name`.
function(assay_library name)
    foreach(kind IN ITEMS static shared)
        string(TOUPPER ${kind} type)
        add_library(${name}_${kind} ${type})
        foreach(objects IN LISTS ARGN)
            target_sources(${name}_${kind} PRIVATE $<TARGET_OBJECTS:${objects}>)
        endforeach()
        set_target_properties(${name}_${kind} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C)
        target_include_directories(${name}_${kind} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                                          $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    endforeach()
    if(NOT ASSAY_SANITIZE AND NOT ASSAY_FUZZ) # a missing symbol is found here, not by the users of the library
        target_link_options(${name}_shared PRIVATE -Wl,-z,defs)
    endif()
    set_target_properties(${name}_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    add_dependencies(libraries ${name}_static ${name}_shared)
endfunction()

add_custom_target(libraries)
set(assay_verify_sources ${ASSAY_VERIFY_SOURCES})
list(TRANSFORM assay_verify_sources PREPEND "${CMAKE_SOURCE_DIR}/")
assay_object_library(assay_verify_objects ${assay_verify_sources})
assay_library(assay_verify assay_verify_objects)
foreach(target IN ITEMS assay_verify_static assay_verify_shared)
    target_link_libraries(${target} PRIVATE m) # log2, for the table of soundness
endforeach()
set(assay_libraries assay_verify)

if(NOT ASSAY_VERIFY_ONLY)
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
    set(THREADS_PREFER_PTHREAD_FLAG ON)
    find_package(Threads REQUIRED)

    set(assay_sources "")
    foreach(folder IN ITEMS base field hash curve backend backend/cpu poly commit iop model cp groth16)
        file(GLOB found CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${folder}/*.c")
        list(APPEND assay_sources ${found})
    endforeach()
    list(REMOVE_ITEM assay_sources ${assay_verify_sources})
    assay_isa_flags(assay_sources)
    assay_scalar_flags(assay_sources)
    assay_object_library(assay_objects ${assay_sources})
    assay_library(assay assay_objects assay_verify_objects)
    foreach(target IN ITEMS assay_objects assay_static assay_shared)
        target_link_libraries(${target} PRIVATE PkgConfig::JANSSON Threads::Threads m)
    endforeach()
    list(APPEND assay_libraries assay)
endif()
