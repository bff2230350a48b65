# SPDX-License-Identifier: Apache-2.0
# Installation: headers, both libraries static and shared, a CMake package and pkg-config files. All of them find their
# place from where they lie, so that an installed tree may be moved.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/assay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
foreach(library IN LISTS assay_libraries)
    list(APPEND installed_targets ${library}_static ${library}_shared)
endforeach()
install(TARGETS ${installed_targets} EXPORT assay-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES docs/assay.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME assay)

# The daemon: unit, user and folders for systemd, an example configuration, a dashboard. The unit names the prefix that is
# known when it is installed.
if(ASSAY_DAEMON AND NOT ASSAY_VERIFY_ONLY)
    install(FILES docs/man/assayd.toml.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
    install(FILES examples/assayd.toml deploy/grafana/assay.json deploy/prometheus/assay.rules.yml
            DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/assay/examples)
    install(FILES deploy/systemd/assay.sysusers DESTINATION lib/sysusers.d RENAME assay.conf)
    install(FILES deploy/systemd/assay.tmpfiles DESTINATION lib/tmpfiles.d RENAME assay.conf)
    install(FILES deploy/systemd/assayd.service DESTINATION lib/systemd/system)
    install(CODE "set(unit \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/systemd/system/assayd.service\")
                  file(READ \"\${unit}\" text)
                  string(REPLACE \"@bindir@\" \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\" text \"\${text}\")
                  file(WRITE \"\${unit}\" \"\${text}\")")
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
install(EXPORT assay-targets NAMESPACE assay:: DESTINATION ${package_dir})
configure_package_config_file(cmake/assay-config.cmake.in assay-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(assay-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/assay-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/assay-config-version.cmake"
        DESTINATION ${package_dir})

file(RELATIVE_PATH ASSAY_PC_TO_PREFIX "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
string(REGEX REPLACE "/$" "" ASSAY_PC_TO_PREFIX "${ASSAY_PC_TO_PREFIX}")
foreach(library IN LISTS assay_libraries)
    configure_file(cmake/${library}.pc.in ${library}.pc @ONLY)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${library}.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
