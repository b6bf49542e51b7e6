# Finds MuJoCo: MUJOCO_INCLUDE and MUJOCO_LIBRARY, empty without it. The benchmark compares with it (cmake/peers.cmake),
# and scenes are read by it (src/scenefile).
#
#     -DMUJOCO_DIR=... (a folder with include/mujoco/mujoco.h and libmujoco.so*), else build/mujoco
#     (scripts/fetch_mujoco.sh), else Debian's libmujoco-dev

set(MUJOCO_DIR "" CACHE PATH "MuJoCo: a folder with include/mujoco/mujoco.h and libmujoco.so*")

# Sets MUJOCO_INCLUDE and MUJOCO_LIBRARY to what the folder holds. The wheel's library is named libmujoco.so.3.14.0 only.
function(pbdr_find_mujoco_in folder)
    file(GLOB libraries ${folder}/libmujoco.so ${folder}/libmujoco.so.* ${folder}/lib/libmujoco.so
         ${folder}/lib/libmujoco.so.* ${folder}/libmujoco.*.dylib ${folder}/lib/libmujoco.*.dylib)
    if(libraries AND EXISTS ${folder}/include/mujoco/mujoco.h)
        list(GET libraries 0 library)
        set(MUJOCO_INCLUDE ${folder}/include PARENT_SCOPE)
        set(MUJOCO_LIBRARY ${library} PARENT_SCOPE)
    endif()
endfunction()

set(MUJOCO_INCLUDE "")
set(MUJOCO_LIBRARY "")
if(MUJOCO_DIR)
    pbdr_find_mujoco_in(${MUJOCO_DIR})
    if(NOT MUJOCO_LIBRARY)
        message(FATAL_ERROR "MUJOCO_DIR=${MUJOCO_DIR}: no include/mujoco/mujoco.h and libmujoco.so* there")
    endif()
else()
    pbdr_find_mujoco_in(${PROJECT_BINARY_DIR}/mujoco)
    if(NOT MUJOCO_LIBRARY)
        # Not cached: what is installed or fetched later is found by the next configuration.
        find_path(MUJOCO_SYSTEM_INCLUDE mujoco/mujoco.h NO_CACHE)
        find_library(MUJOCO_SYSTEM_LIBRARY mujoco NO_CACHE)
        if(MUJOCO_SYSTEM_INCLUDE AND MUJOCO_SYSTEM_LIBRARY)
            set(MUJOCO_INCLUDE ${MUJOCO_SYSTEM_INCLUDE})
            set(MUJOCO_LIBRARY ${MUJOCO_SYSTEM_LIBRARY})
        endif()
    endif()
endif()
