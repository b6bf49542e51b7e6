# Python.h for a Python of Debian's or Ubuntu's that came without: they keep it in a package of its own, which python3-venv
# does not bring, and PyPI has no wheel of it. apt-get gives any user that package as a file; it is unpacked in the build
# folder, nothing is installed, and needs no rights. Sets python_headers to the folders to include, or to nothing.
function(find_debian_headers)
    set(python_headers "" PARENT_SCOPE)
    set(version ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR})
    execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_path('platinclude'))"
                    OUTPUT_VARIABLE expected OUTPUT_STRIP_TRAILING_WHITESPACE)
    find_program(apt_get apt-get)
    find_program(dpkg_deb dpkg-deb)
    if(NOT expected STREQUAL "/usr/include/python${version}" OR NOT apt_get OR NOT dpkg_deb)
        return() # not the system's Python, or not such a system
    endif()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/headers)
    if(NOT EXISTS ${folder}/usr/include/python${version}/Python.h)
        message(STATUS "Python.h is missing: fetching Debian's libpython${version}-dev into ${folder} (python3-dev installs it)")
        file(REMOVE_RECURSE ${folder})
        file(MAKE_DIRECTORY ${folder})
        execute_process(COMMAND ${apt_get} -q download libpython${version}-dev WORKING_DIRECTORY ${folder}
                        RESULT_VARIABLE failed OUTPUT_VARIABLE told ERROR_VARIABLE told TIMEOUT 120)
        file(GLOB package ${folder}/*.deb)
        if(failed OR NOT package)
            message(STATUS "apt-get download libpython${version}-dev: ${told}")
            return()
        endif()
        execute_process(COMMAND ${dpkg_deb} -x ${package} ${folder} COMMAND_ERROR_IS_FATAL ANY)
        file(REMOVE ${package})
        file(REMOVE_RECURSE ${folder}/usr/lib ${folder}/usr/share)
    endif()
    # pyconfig.h includes <x86_64-linux-gnu/python3.11/pyconfig.h>, hence the second folder
    set(python_headers ${folder}/usr/include/python${version} ${folder}/usr/include PARENT_SCOPE)
endfunction()
