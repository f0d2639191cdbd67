# Which OpenCL drivers the tests see: CLSOLVE_TEST_VENDORS, a folder of *.icd files; empty: the system's.
#
# In sanitized builds it is PoCL's driver alone, when there is one: others forget memory in modules that are unloaded before
# the report, where no suppression can name them. -DCLSOLVE_TEST_VENDORS= (nothing) lets tests see all drivers.
set(vendors "")
if(CLSOLVE_SANITIZE)
  find_file(CLSOLVE_POCL_ICD pocl.icd PATHS /etc/OpenCL/vendors NO_DEFAULT_PATH)
  mark_as_advanced(CLSOLVE_POCL_ICD)
  if(CLSOLVE_POCL_ICD)
    set(vendors ${PROJECT_BINARY_DIR}/test-vendors)
    file(COPY ${CLSOLVE_POCL_ICD} DESTINATION ${vendors})
  endif()
endif()
set(CLSOLVE_TEST_VENDORS "${vendors}" CACHE PATH "Folder of OpenCL drivers (*.icd) that tests see; empty: the system's")
