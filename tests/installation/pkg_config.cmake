# cmake -DPKG_CONFIG= -DPC_FOLDER= -DPACKAGE= -DCOMPILER= -DSOURCE= -DPROGRAM= -P pkg_config.cmake: compiles an example with
# the flags that pkg-config prints, and no others, and runs it.
set(ENV{PKG_CONFIG_PATH} ${PC_FOLDER})
foreach(what cflags libs)
  execute_process(COMMAND ${PKG_CONFIG} --${what} ${PACKAGE} OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE
                          COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(${what} UNIX_COMMAND "${said}")
endforeach()
execute_process(COMMAND ${COMPILER} ${SOURCE} -o ${PROGRAM} ${cflags} ${libs}
                        COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
