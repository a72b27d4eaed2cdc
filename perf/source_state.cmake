# Writes OUTPUT with the commit of SOURCE and whether files differ from it.
set(commit unknown)
if(GIT)
  execute_process(COMMAND ${GIT} -c safe.directory=* describe --always --dirty --abbrev=12 WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(commit ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define KUBATURE_COMMIT \"@commit@\"\n" @ONLY)
