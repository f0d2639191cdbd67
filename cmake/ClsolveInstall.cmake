# Installs the libraries, headers, command, CMake package, pkg-config file and documents. All paths in the package files
# are relative to the files themselves, so an installed tree may be moved.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/clsolve)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/clsolve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
if(TARGET clsolve_tool)
  install(TARGETS clsolve_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

if(TARGET clsolve_fortran_source)
  install(FILES ${PROJECT_BINARY_DIR}/src/fortran/clsolve.f90 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/clsolve)
endif()
if(TARGET clsolve_fortran)
  install(TARGETS clsolve_fortran EXPORT clsolve_fortran DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT clsolve_fortran NAMESPACE clsolve:: FILE clsolveFortranTargets.cmake DESTINATION ${package_folder})
  install(FILES ${PROJECT_BINARY_DIR}/src/fortran/modules/clsolve.mod DESTINATION ${CLSOLVE_FORTRAN_MODULES})
  set(CLSOLVE_PC_FORTRAN "-lclsolve_fortran ")
  set(CLSOLVE_PC_MODULES " -I\${prefix}/${CLSOLVE_FORTRAN_MODULES}")
endif()

# Two export sets: whoever links the shared library needs none of the static one's dependencies.
install(TARGETS clsolve EXPORT clsolve_shared RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS clsolve_static EXPORT clsolve_static DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT clsolve_shared NAMESPACE clsolve:: FILE clsolveTargets.cmake DESTINATION ${package_folder})
install(EXPORT clsolve_static NAMESPACE clsolve:: FILE clsolveStaticTargets.cmake DESTINATION ${package_folder})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/clsolveConfig.cmake.in
  ${PROJECT_BINARY_DIR}/clsolveConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/clsolveConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/clsolveConfig.cmake ${PROJECT_BINARY_DIR}/clsolveConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/ClsolveDependencies.cmake
  DESTINATION ${package_folder})

file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
if(CMAKE_DL_LIBS)
  set(CLSOLVE_PC_DL " -l${CMAKE_DL_LIBS}")
endif()
if(CLSOLVE_SHIPPED)
  set(CLSOLVE_PC_LZMA " -llzma")
endif()
if(NOT CLSOLVE_OPENCL_AT_RUN_TIME)
  set(CLSOLVE_PC_OPENCL "OpenCL ")
endif()
if(CLSOLVE_CLBLAST_FOUND)
  string(APPEND CLSOLVE_PC_OPENCL "clblast ")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/clsolve.pc.in ${PROJECT_BINARY_DIR}/clsolve.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/clsolve.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  PATTERN site EXCLUDE)
