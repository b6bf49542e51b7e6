# What `make install` lays down: headers, static and shared libraries, the CMake package, a pkg-config file for each
# library. Nothing in it names the prefix, so an installed tree may be moved. The command installs itself
# (cli/CMakeLists.txt).
#
# Reads PBDR_INSTALLED_TARGETS and PBDR_INSTALLED_PARTS (src/CMakeLists.txt): a part NAME is the targets pbdr_NAME and
# pbdr_NAME_shared.

foreach(part ${PBDR_INSTALLED_PARTS})
    list(APPEND PBDR_INSTALLED_TARGETS pbdr_${part} pbdr_${part}_shared)
endforeach()
install(TARGETS ${PBDR_INSTALLED_TARGETS} EXPORT pbdrTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pbdr DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# --- CMake -------------------------------------------------------------------------------------------------------------

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pbdr)
install(EXPORT pbdrTargets NAMESPACE pbdr:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/pbdrConfig.cmake.in ${PROJECT_BINARY_DIR}/pbdrConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pbdrConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pbdrConfig.cmake ${PROJECT_BINARY_DIR}/pbdrConfigVersion.cmake
        DESTINATION ${package_dir})

# --- pkg-config --------------------------------------------------------------------------------------------------------

# The way from the pkg-config file to the prefix (lib/pkgconfig: ../..).
set(PBDR_PC_TO_PREFIX /prefix)
cmake_path(RELATIVE_PATH PBDR_PC_TO_PREFIX BASE_DIRECTORY /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig)

function(pbdr_install_pc name description requires private_libs)
    set(PBDR_PC_NAME ${name})
    set(PBDR_PC_DESCRIPTION ${description})
    set(PBDR_PC_REQUIRES ${requires})
    list(JOIN private_libs " " PBDR_PC_PRIVATE_LIBS)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/pbdr.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# The flags that a program needs beneath the archive of a part, out of pkg_check_modules(MODULE ... NAME); none where NAME
# was not found. Where NAME itself has no archive (Debian's assimp) its own dependencies are its own affair. Folders that
# the linker searches anyhow are left out.
function(pbdr_find_private_libs module name out)
    set(flags ${${module}_LDFLAGS})
    find_library(archive lib${name}.a HINTS ${${module}_LIBRARY_DIRS} NO_CACHE)
    if(${module}_FOUND AND archive)
        set(flags ${${module}_STATIC_LDFLAGS})
    endif()
    foreach(folder ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES})
        list(REMOVE_ITEM flags -L${folder})
    endforeach()
    set(${out} ${flags} -lm PARENT_SCOPE)
endfunction()

# Libs.private and not Requires.private: pkg-config refuses a package whose Requires.private is not installed even to
# those who link to the shared library and need none of it.
pbdr_install_pc(pbdr "${PROJECT_DESCRIPTION}" "" "-lm")
pbdr_find_private_libs(ASSIMP assimp private_libs)
pbdr_install_pc(pbdr-meshfile "Mesh files and point clouds for pbdr" "pbdr = ${PROJECT_VERSION}" "${private_libs}")
pbdr_find_private_libs(JANSSON jansson private_libs)
pbdr_install_pc(pbdr-bodyfile "Bodies of spheres as JSON for pbdr" "pbdr = ${PROJECT_VERSION}" "${private_libs}")
set(private_libs ${CMAKE_DL_LIBS}) # to open MuJoCo's library
list(TRANSFORM private_libs PREPEND -l)
pbdr_install_pc(pbdr-scenefile "Scenes out of files for pbdr" "pbdr-meshfile = ${PROJECT_VERSION}, pbdr = ${PROJECT_VERSION}"
                "${private_libs};-lm")
