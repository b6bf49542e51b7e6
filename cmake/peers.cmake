# The simulators that the benchmark compares with: a static library for each that is found, with PBDR_HAVE_... for
# whoever links it.
#
#     pbdr_peer_mujoco   as cmake/mujoco.cmake found it
#     pbdr_peer_ode      libode-dev, through pkg-config
#     pbdr_peer_bullet   libbullet-dev, through pkg-config; the build in double if there is one. Needs C++.
#
# PBDR_PEERS lists the targets. None is installed: the package is the simulator, not its benchmark.

set(PBDR_PEERS "")

function(pbdr_add_peer name have source)
    add_library(pbdr_peer_${name} STATIC ${PROJECT_SOURCE_DIR}/bench/solvers/${source} ${PROJECT_SOURCE_DIR}/bench/many/${source})
    target_include_directories(pbdr_peer_${name} PUBLIC ${PROJECT_SOURCE_DIR}/bench/solvers ${PROJECT_SOURCE_DIR}/bench ${PROJECT_SOURCE_DIR}/include)
    target_compile_definitions(pbdr_peer_${name} PUBLIC ${have})
    set(PBDR_PEERS ${PBDR_PEERS} pbdr_peer_${name} PARENT_SCOPE)
endfunction()

# --- MuJoCo ------------------------------------------------------------------------------------------------------------

if(MUJOCO_LIBRARY)
    message(STATUS "MuJoCo: ${MUJOCO_LIBRARY}")
    add_library(pbdr_mujoco SHARED IMPORTED)
    set_target_properties(pbdr_mujoco PROPERTIES IMPORTED_LOCATION ${MUJOCO_LIBRARY}
                          INTERFACE_INCLUDE_DIRECTORIES ${MUJOCO_INCLUDE}) # imported, so a system folder: no warnings
    pbdr_add_peer(mujoco PBDR_HAVE_MUJOCO mujoco.c)
    target_sources(pbdr_peer_mujoco PRIVATE ${PROJECT_SOURCE_DIR}/bench/solvers/mujoco_joints.c)
    target_link_libraries(pbdr_peer_mujoco PRIVATE pbdr_options pbdr_mujoco m)
else()
    message(WARNING "MuJoCo not found: the benchmark goes without it. scripts/fetch_mujoco.sh fetches its PyPI wheel; "
            "or install Debian's libmujoco-dev, or pass -DMUJOCO_DIR=")
endif()

# --- ODE and Bullet ----------------------------------------------------------------------------------------------------

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(ODE QUIET IMPORTED_TARGET ode)
    pkg_check_modules(BULLET QUIET IMPORTED_TARGET bullet-float64)
    if(NOT BULLET_FOUND)
        pkg_check_modules(BULLET QUIET IMPORTED_TARGET bullet)
    endif()
endif()
if(ODE_FOUND)
    message(STATUS "ODE: ${ODE_VERSION}")
    pbdr_add_peer(ode PBDR_HAVE_ODE ode.c)
    target_compile_definitions(pbdr_peer_ode PRIVATE PBDR_ODE_VERSION="${ODE_VERSION}")
    target_link_libraries(pbdr_peer_ode PRIVATE pbdr_options PkgConfig::ODE m)
else()
    message(WARNING "ODE not found: the benchmark goes without it. Debian: libode-dev pkg-config")
endif()
if(BULLET_FOUND)
    include(CheckLanguage)
    check_language(CXX)
endif()
if(BULLET_FOUND AND CMAKE_CXX_COMPILER)
    enable_language(CXX)
    message(STATUS "Bullet: ${BULLET_VERSION}")
    pbdr_add_peer(bullet PBDR_HAVE_BULLET bullet.cpp)
    set_target_properties(pbdr_peer_bullet PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
    # pbdr_options has warnings that C++ does not know. The last: gcc's false alarm about Bullet's inlined functions.
    target_compile_options(pbdr_peer_bullet PRIVATE
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off
        $<$<BOOL:${PBDR_WERROR}>:-Werror> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    if(PBDR_SANITIZE)
        target_compile_options(pbdr_peer_bullet PRIVATE -fsanitize=${PBDR_SANITIZE} -fno-sanitize-recover=all
                               -fno-omit-frame-pointer)
    endif()
    target_link_libraries(pbdr_peer_bullet PRIVATE PkgConfig::BULLET m)
elseif(BULLET_FOUND)
    message(WARNING "Bullet found, but no C++ compiler: the benchmark goes without it. Debian: build-essential")
else()
    message(WARNING "Bullet not found: the benchmark goes without it. Debian: libbullet-dev pkg-config")
endif()
