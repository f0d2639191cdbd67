# An overlay port: it builds the sources that it lies in.
#
#   vcpkg install clsolve --overlay-ports=scripts/recipes/vcpkg
#
# The library and LAPACK's names; the command needs popt, which is no port.
vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../../.." ABSOLUTE)

vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DCLSOLVE_BUILD_TOOL=OFF
        -DCLSOLVE_BUILD_TESTS=OFF
        -DCLSOLVE_BUILD_BENCH=OFF
        -DCLSOLVE_PETSC=OFF
        -DCLSOLVE_FORTRAN=OFF
        -DCLSOLVE_BUILD_EXAMPLES=OFF
        "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}"
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/clsolve)
vcpkg_fixup_pkgconfig()

# The shared library alone: a triplet has one kind of library. LAPACK's own name stays out, so that no program meets it.
foreach(folder "${CURRENT_PACKAGES_DIR}" "${CURRENT_PACKAGES_DIR}/debug")
    file(REMOVE_RECURSE "${folder}/lib/clsolve")
    file(REMOVE "${folder}/lib/libclsolve.a")
endforeach()
file(GLOB static_targets "${CURRENT_PACKAGES_DIR}/share/clsolve/clsolveStaticTargets*.cmake")
file(REMOVE ${static_targets})
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
    "${CURRENT_PACKAGES_DIR}/share/doc")

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
