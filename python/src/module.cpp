// pbdr._core: the binding over the public C API. What users see of it is exported by pbdr/__init__.py.
#include "common.h"

NB_MODULE(_core, m)
{
    nb::set_leak_warnings(false); // handles in a user's globals are no leak of ours
    m.doc() = "The compiled part of pbdr.";
    m.attr("__version__") = pbdrVersion();
    bindShape(m);
    bindScene(m);
    bindWorld(m);
    bindBody(m);
    bindBatch(m);
}
