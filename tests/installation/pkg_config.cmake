# cmake -DPKG_CONFIG= -DPC_FOLDER= -DPACKAGE= -DCOMPILER= -DSOURCE= -DPROGRAM= [-DARGUMENTS=] -P pkg_config.cmake: compiles
# an example with the flags that pkg-config prints, and runs it.
set(ENV{PKG_CONFIG_PATH} ${PC_FOLDER})
foreach(what cflags libs libs-only-L)
  execute_process(COMMAND ${PKG_CONFIG} --${what} ${PACKAGE} OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE
                          COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(${what} UNIX_COMMAND "${said}")
endforeach()
string(REPLACE "-L" "-Wl,-rpath," rpath "${libs-only-L}")
execute_process(COMMAND ${COMPILER} ${cflags} ${SOURCE} -o ${PROGRAM} ${libs} ${rpath} -lm
                        COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
